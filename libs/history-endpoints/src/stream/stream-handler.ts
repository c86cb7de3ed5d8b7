import type { Request, RequestHandler } from 'express';
import {
  type ApiDeps,
  createAbiReader,
  isDataFilter,
  LargeResponses,
  parseAccountName,
  parseName,
  type SentDataFilters,
} from '@antelope-history/endpoint-kit';
import { STREAM, type StreamRequest, streamRequest } from '@antelope-history/history-routes';
import { type Bound, HistoryError, parseRequest } from '@antelope-history/schemas';
import {
  type ChargeStream,
  countBegun,
  gauge,
  isWebSocketHandshake,
  type Logger,
  REPORT_COST_HEADER,
  stopSignal,
  streamChargeOf,
} from '@antelope-history/app-runtime';
import { type HistoryReader, isRemovedBlock } from '@antelope-history/store';
import { toDataConditions } from '../data-conditions';
import {
  ActionStream,
  blocksRemoved,
  isBelowHistory,
  type ActionStreamDeps,
  type StreamEvent,
  type StreamQuery,
} from './action-stream';
import { CommittedHead } from './committed-head';
import type { EventSink } from './event-sink';
import { ServerSentEvents, writeEventStreamHead } from './server-sent-events';
import { parseCursor, type StreamCursor } from './stream-cursor';
import { acceptWebSocket } from './web-socket-events';

/** An error shows at most this many characters of the name of an unknown parameter. */
const MAX_NAME_SHOWN = 40;

/** Handles requests for the stream: server-sent events or a WebSocket until the client leaves. */
export function createStreamHandler(deps: ApiDeps): RequestHandler {
  const { reader, registry, config, log, largeResponses = new LargeResponses() } = deps;
  const abis = createAbiReader(reader, registry, STREAM.endpoint);
  const streamDeps: ActionStreamDeps = { reader, abis, head: new CommittedHead(reader), largeResponses };
  const open = gauge(registry, { name: 'history_open_streams', help: 'Open streams of actions' });
  let count = 0;
  return async (request, response) => {
    const parameters = readRequest(request);
    const data = await toDataConditions(parameters.dataFilters, firstBlockOf(parameters), reader);
    const query: StreamQuery = { ...parameters.query, data };
    if (parameters.cursor) await requireBlock(parameters.cursor, query, reader);
    if (request.method === 'HEAD') {
      writeEventStreamHead(response);
      response.end();
      return;
    }
    if (response.closed) return;
    if (count >= config.maxStreams) throw new HistoryError('BUSY', 'as many streams are open as this service has');
    open.set(++count);
    try {
      const sink = isWebSocketHandshake(request) ? acceptWebSocket(request, response) : new ServerSentEvents(response);
      countBegun(response);
      const charge = chargeWholeUnits((cost) => {
        streamChargeOf(response)?.(cost);
        if (request.headers[REPORT_COST_HEADER] !== undefined) sink.reportCost(cost);
      });
      const stream = (signal: AbortSignal) =>
        new ActionStream(streamDeps, query, signal, charge).events(parameters.cursor);
      await sendStream(sink, stopSignal(response), stream, log);
    } finally {
      open.set(--count);
    }
  };
}

/** Adds fractions up, which most pages cost. */
function chargeWholeUnits(charge: ChargeStream): ChargeStream {
  let sum = 0;
  return (cost) => {
    sum += cost;
    const whole = Math.floor(sum);
    if (whole === 0) return;
    sum -= whole;
    charge(whole);
  };
}

/**
 * Throws `BLOCKS_REMOVED` when the cursor's block was removed, or is an orphan and the block that the stream would go back to was, and
 * when the history begins above the next block. A stream that has begun can no longer say so.
 */
async function requireBlock(
  { block, irreversibleNum }: StreamCursor,
  query: StreamQuery,
  reader: HistoryReader,
): Promise<void> {
  const status = await reader.getStatus();
  if (isRemovedBlock(block.num, status) || isBelowHistory(block.num + 1, query, status)) throw blocksRemoved();
  if (!isRemovedBlock(Math.min(irreversibleNum, block.num - 1), status)) return;
  const { block: committed } = await reader.getBlock({ id: block.id });
  if (!committed) throw blocksRemoved();
}

interface StreamParameters {
  query: Omit<StreamQuery, 'data'>;
  dataFilters: SentDataFilters;
  cursor: StreamCursor | undefined;
}

/** Throws `INVALID_REQUEST` or `INVALID_NAME` for parameters that the stream does not take. */
function readRequest(request: Request): StreamParameters {
  const parameters: Record<string, string> = {};
  const dataFilters = new Map<string, string>();
  for (const [name, value] of new URL(request.url, 'http://stream').searchParams) {
    const known = Object.hasOwn(streamRequest.shape, name) || isDataFilter(name);
    const isRepeated = Object.hasOwn(parameters, name) || dataFilters.has(name);
    if (!known || isRepeated) {
      const problem = known ? 'give it once' : `the stream takes ${Object.keys(streamRequest.shape).join(', ')}`;
      throw new HistoryError('INVALID_REQUEST', `${name.slice(0, MAX_NAME_SHOWN)}: ${problem}`);
    }
    if (isDataFilter(name)) dataFilters.set(name, value);
    else parameters[name] = value;
  }
  const parsed = parseRequest(streamRequest, parameters);
  return { query: toStreamQuery(parsed), dataFilters, cursor: readCursor(request.get('last-event-id'), parsed.cursor) };
}

/** The cursor of the header, otherwise that of the parameter. An empty header says that the client has no event yet. */
function readCursor(header: string | undefined, parameter: string | undefined): StreamCursor | undefined {
  if (header) return parseCursor('Last-Event-ID', header);
  return parameter === undefined ? undefined : parseCursor('cursor', parameter);
}

/** The first block whose rows a stream may send. */
function firstBlockOf({ query: { firstBlockNum }, cursor }: StreamParameters): Bound {
  if (!cursor) return { blockNum: firstBlockNum ?? Infinity };
  // A stream whose cursor is at an orphan continues after the last irreversible block.
  const next = Math.min(cursor.block.num, cursor.irreversibleNum + 1);
  return { blockNum: Math.max(firstBlockNum ?? 0, next) };
}

function toStreamQuery({
  account_name: account,
  filter = [],
  after,
  irreversible_only,
}: StreamRequest): StreamParameters['query'] {
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

/**
 * Sends the events of a stream. Resolves when the client has left, or after the service has sent the client the reason why it
 * ends the stream.
 */
async function sendStream(
  sink: EventSink,
  stop: AbortSignal,
  open: (signal: AbortSignal) => AsyncGenerator<StreamEvent, never>,
  log: Logger,
): Promise<void> {
  const signal = AbortSignal.any([sink.left, stop]);
  try {
    for await (const event of open(signal)) {
      if (!(await sink.send(event, signal))) {
        await sink.close('slow_client');
        return;
      }
    }
  } catch (error) {
    // A `HistoryError` is not logged here: the store reports its own failures, and the client continues at its cursor.
    if (!(error instanceof HistoryError) && !signal.aborted) log.error({ error }, 'a stream failed');
    if (!sink.left.aborted) await sink.close(stop.aborted ? 'shutdown' : 'unavailable');
  }
}
