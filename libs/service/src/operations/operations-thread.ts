import type { IncomingMessage, ServerResponse } from 'node:http';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { HistoryError } from '@antelope-history/schemas';
import { toErrorAnswer } from '../http/error-response';
import { listen } from '../http/listen';
import { MainThreadPages, type Page } from './main-thread-pages';
import type { FromOperations, OperationsThreadData, ToOperations } from './operations-messages';

/** So often the main thread is asked for a sign of life. */
const PING_EVERY_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * The entry of the operations thread. It answers /live itself, so that a main thread that is busy is not taken for a
 * dead one; everything else it asks of the main thread.
 */
async function main(port: MessagePort, data: OperationsThreadData): Promise<void> {
  const send = (message: FromOperations): void => port.postMessage(message);
  const pages = new MainThreadPages({ url: data.mainThreadUrl, silentAfterMs: data.silentAfterMs });
  const respond = createResponder(pages, data.silentAfterMs);
  try {
    const listener = await listen(respond, data.address);
    const pings = setInterval(() => void pages.read('GET', '/live'), PING_EVERY_MS);
    // The only message is that to stop.
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
    // A response to HEAD is that to GET; Node.js leaves its body out.
    else void pages.read(isRead ? 'GET' : method, path).then((page) => sendPage(response, page));
  };
}

function sendLive(response: ServerResponse, silentMs: number, silentAfterMs: number): void {
  if (silentMs < silentAfterMs) sendJson(response, 200, { status: 'ok' });
  else sendJson(response, 503, { status: 'down', silent_seconds: Math.floor(silentMs / 1000) });
}

/** A page that was received some time ago says so in `age`, in seconds (RFC 9111, 5.1). */
function sendPage(response: ServerResponse, page: Page | undefined): void {
  if (!page) {
    const error = new HistoryError('UNAVAILABLE', 'the process is busy');
    response.setHeader('retry-after', RETRY_AFTER_SECONDS);
    sendJson(response, error.definition.status, toErrorAnswer(error, ''));
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
