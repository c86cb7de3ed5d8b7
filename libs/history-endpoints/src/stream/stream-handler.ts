import { once } from 'node:events';
import type { Request, RequestHandler, Response } from 'express';
import {
  type ApiDeps,
  createAbiReader,
  LargeResponses,
  parseAccountName,
  parseName,
} from '@antelope-history/endpoint-kit';
import { STREAM, type StreamRequest, streamRequest } from '@antelope-history/history-routes';
import { HistoryError, parseRequest } from '@antelope-history/schemas';
import { clientSignal, gauge, stopSignal } from '@antelope-history/app-runtime';
import { ActionStream, type ActionStreamDeps, type StreamEvent, type StreamQuery } from './action-stream';
import { CommittedHead } from './committed-head';
import { parseCursor, type StreamCursor } from './stream-cursor';

/** Proxies close connections that are silent, most of them after a minute. */
const KEEP_ALIVE_MS = 15_000;
/** Time in which a client has to read what the connection's buffers hold. */
const WRITE_LIMIT_MS = 10_000;
/** Time in which a client that was told why its stream ends can read so. */
const CLOSE_LIMIT_MS = 1_000;
/** Of a parameter that does not exist. */
const MAX_NAME_SHOWN = 40;
/** How long a client waits before it opens the stream again. */
const RETRY_MS = 2_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // no-transform: a coding would hold events back. x-accel-buffering is for nginx.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** Why the service ends a stream; the client may open it again with the last event's id. */
type CloseReason = 'slow_client' | 'shutdown' | 'unavailable';

/** Handles requests for the stream: each response is server-sent events until the client leaves. */
export function createStreamHandler(deps: ApiDeps): RequestHandler {
  const { reader, registry, config, largeResponses = new LargeResponses() } = deps;
  const abis = createAbiReader(reader, registry, STREAM.endpoint);
  const streamDeps: ActionStreamDeps = { reader, abis, head: new CommittedHead(reader), largeResponses };
  const open = gauge(registry, { name: 'history_streams', help: 'Open streams of actions' });
  let count = 0;
  return async (request, response) => {
    const { query, cursor } = readRequest(request);
    if (count >= config.maxStreams) throw new HistoryError('BUSY', 'as many streams are open as this service has');
    open.set(++count);
    try {
      await sendStream(response, request.method === 'HEAD', (signal) =>
        new ActionStream(streamDeps, query, signal).events(cursor),
      );
    } finally {
      open.set(--count);
    }
  };
}

/** Throws `INVALID_REQUEST` or `INVALID_NAME` for parameters that the stream does not take. */
function readRequest(request: Request): { query: StreamQuery; cursor: StreamCursor | undefined } {
  const parameters: Record<string, string> = {};
  for (const [name, value] of new URL(request.url, 'http://stream').searchParams) {
    const known = Object.hasOwn(streamRequest.shape, name);
    const isRepeated = Object.hasOwn(parameters, name);
    if (!known || isRepeated) {
      const problem = known ? 'give it once' : `the stream takes ${Object.keys(streamRequest.shape).join(', ')}`;
      throw new HistoryError('INVALID_REQUEST', `${name.slice(0, MAX_NAME_SHOWN)}: ${problem}`);
    }
    parameters[name] = value;
  }
  const parsed = parseRequest(streamRequest, parameters);
  const cursor = request.get('last-event-id') ?? parsed.cursor;
  return { query: toStreamQuery(parsed), cursor: cursor === undefined ? undefined : parseCursor(cursor) };
}

function toStreamQuery({ account_name: account, filter = [], after, irreversible_only }: StreamRequest): StreamQuery {
  return {
    account: account === undefined ? undefined : parseAccountName('account_name', account),
    filters: filter.map(({ account: contract, name }) => ({
      ...(contract !== undefined && { account: parseName('filter', contract) }),
      ...(name !== undefined && { name: parseName('filter', name) }),
    })),
    firstBlockNum: after,
    irreversibleOnly: irreversible_only ?? false,
  };
}

/** Resolves when the client has left or the stream was ended for a reason that the client was told. */
async function sendStream(
  response: Response,
  isHead: boolean,
  open: (signal: AbortSignal) => AsyncGenerator<StreamEvent, never>,
): Promise<void> {
  const [left, stop] = [clientSignal(response), stopSignal(response)];
  response.writeHead(200, HEADERS);
  if (isHead) {
    response.end();
    return;
  }
  response.write(`retry: ${RETRY_MS}\n\n`);
  const keepAlive = setInterval(() => {
    if (response.writableLength === 0) response.write(':\n\n');
  }, KEEP_ALIVE_MS);
  try {
    const signal = AbortSignal.any([left, stop]);
    for await (const event of open(signal)) {
      if (!response.write(textOf(event)) && !(await isDrained(response, signal))) {
        await close(response, 'slow_client');
        return;
      }
    }
  } catch {
    // Without a reason in the log: a store that fails reports it itself, and the client continues at its cursor.
    if (!left.aborted) await close(response, stop.aborted ? 'shutdown' : 'unavailable');
  } finally {
    clearInterval(keepAlive);
  }
}

function textOf(event: StreamEvent): string {
  const data = event.type === 'action' ? event.row : `{"block_num":${event.block.num},"block_id":"${event.block.id}"}`;
  return `event: ${event.type}\nid: ${event.id}\ndata: ${data}\n\n`;
}

/** Whether the client read what was written, in time. Rejects with the signal's reason. */
async function isDrained(response: Response, signal: AbortSignal): Promise<boolean> {
  const deadline = AbortSignal.timeout(WRITE_LIMIT_MS);
  try {
    await once(response, 'drain', { signal: AbortSignal.any([signal, deadline]) });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

async function close(response: Response, reason: CloseReason): Promise<void> {
  response.end(`event: close\ndata: {"reason":"${reason}"}\n\n`);
  const limit = setTimeout(() => response.destroy(), CLOSE_LIMIT_MS);
  if (!response.closed) await once(response, 'close');
  clearTimeout(limit);
}
