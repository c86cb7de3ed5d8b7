import { once } from 'node:events';
import type { Response } from 'express';
import { clientSignal, costReport } from '@antelope-history/app-runtime';
import type { StreamEvent } from './action-stream';
import { CLOSE_LIMIT_MS, type CloseReason, dataOf, type EventSink, isDrained, KEEP_ALIVE_MS } from './event-sink';

/** How long a client waits before it opens the stream again. */
const RETRY_MS = 2_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // `no-transform` keeps proxies from compressing, which would delay events; `x-accel-buffering` keeps nginx from buffering.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** Sends the head of a response of server-sent events. */
export function writeEventStreamHead(response: Response): void {
  response.writeHead(200, HEADERS);
}

/** Sends events as a response of server-sent events (WHATWG HTML, 9.2). */
export class ServerSentEvents implements EventSink {
  readonly left: AbortSignal;
  private readonly keepAlive: NodeJS.Timeout;

  constructor(private readonly response: Response) {
    this.left = clientSignal(response);
    writeEventStreamHead(response);
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.keepAlive = setInterval(() => {
      if (response.writableLength === 0) response.write(':\n\n');
    }, KEEP_ALIVE_MS);
    response.once('close', () => clearInterval(this.keepAlive));
  }

  async send(event: StreamEvent, signal: AbortSignal): Promise<boolean> {
    const text = `event: ${event.type}\nid: ${event.id}\ndata: ${dataOf(event)}\n\n`;
    return this.response.write(text) || isDrained(this.response, signal);
  }

  reportCost(cost: number): void {
    const { destroyed, writableEnded } = this.response;
    if (!destroyed && !writableEnded) this.response.write(`:${costReport(cost)}\n\n`);
  }

  async close(reason: CloseReason): Promise<void> {
    const { response } = this;
    clearInterval(this.keepAlive);
    response.end(`event: close\ndata: {"reason":"${reason}"}\n\n`);
    const limit = setTimeout(() => response.destroy(), CLOSE_LIMIT_MS);
    if (!response.closed) await once(response, 'close');
    clearTimeout(limit);
  }
}
