import type { IncomingMessage, ServerResponse } from 'node:http';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { clientErrorOf, HistoryError } from '@antelope-history/schemas/errors';
import { toErrorResponse } from '../http/error-body';
import { listen } from '../http/listen';
import { MainThreadPages, type Page } from './main-thread-pages';
import type { FromOperations, OperationsThreadData, ToOperations } from './operations-messages';

/** Interval of the requests that measure whether the main thread responds. */
const PING_EVERY_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * The entry point of the operations thread. It answers /live itself, so that a busy main thread is not reported as dead, and
 * requests all other pages from the main thread. Every process has this thread: it loads neither zod nor prom-client, which would
 * be a tenth of the processor time of a start and 8 MB.
 */
async function main(port: MessagePort, data: OperationsThreadData): Promise<void> {
  const send = (message: FromOperations): void => port.postMessage(message);
  const pages = new MainThreadPages({ url: data.mainThreadUrl, silentAfterMs: data.silentAfterMs });
  const respond = createResponder(pages, data.silentAfterMs);
  try {
    const listener = await listen(respond, data.address);
    const pings = setInterval(() => void pages.read('GET', '/live'), PING_EVERY_MS);
    // `stop` is the only message.
    port.once('message', (_message: ToOperations) => {
      clearInterval(pings);
      void listener.close().then(() => send({ kind: 'stopped' }));
    });
    send({ kind: 'listening', url: listener.url });
  } catch (error) {
    const code = error instanceof HistoryError ? error.code : undefined;
    send({ kind: 'failed', error: { code, message: (error as Error).message } });
  }
}

function createResponder(pages: MainThreadPages, silentAfterMs: number) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { method = 'GET', url = '/' } = request;
    const path = url.split('?')[0] ?? '/';
    const isRead = method === 'GET' || method === 'HEAD';
    if (isRead && /^\/live\/?$/.test(path)) sendLive(response, pages.silentMs(), silentAfterMs);
    // HEAD gets the response to GET; Node.js omits its body.
    else void pages.read(isRead ? 'GET' : method, path).then((page) => sendPage(response, page));
  };
}

function sendLive(response: ServerResponse, silentMs: number, silentAfterMs: number): void {
  if (silentMs < silentAfterMs) sendJson(response, 200, { status: 'ok' });
  else sendJson(response, 503, { status: 'down', silent_seconds: Math.floor(silentMs / 1000) });
}

/** A kept page has its age in seconds in the header `age` (RFC 9111, 5.1). */
function sendPage(response: ServerResponse, page: Page | undefined): void {
  if (!page) {
    const error = new HistoryError('UNAVAILABLE', 'the process is busy');
    response.setHeader('retry-after', RETRY_AFTER_SECONDS);
    sendJson(response, clientErrorOf(error).status, toErrorResponse(error, ''));
    return;
  }
  const { status, headers, body, receivedAt } = page;
  const ageSeconds = Math.floor((performance.now() - receivedAt) / 1000);
  if (ageSeconds > 0) response.setHeader('age', ageSeconds);
  response.writeHead(status, headers).end(body);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

if (parentPort) void main(parentPort, workerData as OperationsThreadData);
