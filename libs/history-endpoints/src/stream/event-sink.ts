import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { StreamEvent } from './action-stream';

/** Why the service ends a stream; the client may open it again with the last event's id. */
export type CloseReason = 'slow_client' | 'shutdown' | 'unavailable';

/** Proxies close connections that are silent, most of them after a minute. */
export const KEEP_ALIVE_MS = 15_000;
/** Time in which a client has to read what the connection's buffers hold. */
const WRITE_LIMIT_MS = 10_000;
/** Time that a client has to read why its stream ends, before the connection is cut. */
export const CLOSE_LIMIT_MS = 1_000;

/** The connection that takes a stream's events. */
export interface EventSink {
  /** Aborts when the client has left. */
  readonly left: AbortSignal;
  /**
   * Sends an event. Resolves to true when the connection takes more data, and to false if the client does not read in time or is
   * leaving. Rejects with the signal's reason.
   */
  send(event: StreamEvent, signal: AbortSignal): Promise<boolean>;
  /** Reports a cost to the gateway (`REPORT_COST_HEADER`). */
  reportCost(cost: number): void;
  /** Tells the client why the stream ends; resolves when the connection or the response is closed. */
  close(reason: CloseReason): Promise<void>;
}

/** The data of an event as JSON. */
export function dataOf(event: StreamEvent): string {
  return event.type === 'action' ? event.row : `{"block_num":${event.block.num},"block_id":"${event.block.id}"}`;
}

/** Whether the client reads the buffered data in time. Rejects with the signal's reason. */
export async function isDrained(connection: Writable, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const waiting = new AbortController();
  const stop = (): void => waiting.abort();
  const limit = setTimeout(stop, WRITE_LIMIT_MS);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await once(connection, 'drain', { signal: waiting.signal });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', stop);
  }
}
