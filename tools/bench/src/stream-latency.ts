import { readEventStream, readWebSocketStream } from '@antelope-history/test-support/event-stream';
import { ROUTES, STREAM } from '@antelope-history/routes';
import type { ShipReplay } from '@antelope-history/ship-replay';
import type { Recording } from '@antelope-history/test-support/recordings';

export interface StreamLatency {
  /** Milliseconds from the moment when the node has a block, one per block: to its `head` event over each transport. */
  serverSentEvents: number[];
  webSocket: number[];
  /** To the first response that shows the block to a client that polls for it. */
  response: number[];
}

/** Interval of the client that polls: most do so less often. */
const POLL_MS = 5;
const BLOCK_LIMIT_MS = 60_000;

/**
 * Plays the next messages of a replay whose pace is manual, one when the last one has reached all clients, and measures how long
 * each block takes. Throws when a block does not come within a minute, or when a transport sends other rows than the other.
 */
export async function measureStreamLatency(
  replay: ShipReplay,
  { messages }: Recording,
  gatewayUrl: string,
  blocks: number,
): Promise<StreamLatency> {
  const url = gatewayUrl + STREAM.path;
  const stop = new AbortController();
  const [serverSentEvents, webSocket] = [new HeadWatch(), new HeadWatch()];
  const watching = [
    serverSentEvents.follow(readEventStream(url, { signal: stop.signal })),
    webSocket.follow(readWebSocketStream(url, { signal: stop.signal })),
  ];
  await Promise.all([serverSentEvents.reached(0), webSocket.reached(0)]);
  const latency: StreamLatency = { serverSentEvents: [], webSocket: [], response: [] };
  for (let count = 0; count < blocks && replay.stats.position < messages.length; count++) {
    const startedAt = performance.now();
    replay.advance();
    const num = replay.stats.headBlockNum;
    const [sse, socket, response] = await Promise.all([
      serverSentEvents.reached(num),
      webSocket.reached(num),
      responseShows(gatewayUrl, num),
    ]);
    latency.serverSentEvents.push(sse - startedAt);
    latency.webSocket.push(socket - startedAt);
    latency.response.push(response - startedAt);
  }
  stop.abort();
  await Promise.allSettled(watching);
  if (serverSentEvents.rows !== webSocket.rows)
    throw new Error(`${serverSentEvents.rows} rows as server-sent events, ${webSocket.rows} over WebSocket`);
  return latency;
}

/** Notes when each block's `head` event arrives. */
class HeadWatch {
  rows = 0;
  private readonly reachedAt = new Map<number, number>();
  private head = -1;
  private wake: () => void = () => undefined;

  async follow(events: AsyncGenerator<{ type: string; data: string }>): Promise<void> {
    for await (const { type, data } of events) {
      if (type === 'action') this.rows++;
      if (type !== 'head') continue;
      this.head = (JSON.parse(data) as { block_num: number }).block_num;
      this.reachedAt.set(this.head, performance.now());
      this.wake();
    }
  }

  /** The time at which the head was at a block or above. */
  async reached(num: number): Promise<number> {
    while (this.head < num) await this.nextHead();
    return this.reachedAt.get(num) ?? performance.now();
  }

  private nextHead(): Promise<void> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error('no block came for a minute')), BLOCK_LIMIT_MS);
      this.wake = () => {
        clearTimeout(limit);
        resolve();
      };
    });
  }
}

async function responseShows(gatewayUrl: string, num: number): Promise<number> {
  for (;;) {
    const body = JSON.stringify({ block_num: num });
    const response = await fetch(gatewayUrl + ROUTES.getBlockInfo.path, { method: 'POST', body });
    await response.arrayBuffer();
    if (response.ok) return performance.now();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
