import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import autocannon from 'autocannon';
import type { BareExpressData } from './bare-express';
import { postBytes, type QueryCase } from './query-cases';

/** Figures of one case: a value per run, so that medians and spread can be taken. */
export interface QueryFigures {
  name: string;
  /** Of the first response. */
  bytes: number;
  /** Whether both sides sent the same bytes for every request, before and after the runs. */
  equal: boolean;
  /** Requests per second of the service and of bare Express, with `connections` connections. */
  service: number[];
  bare: number[];
  /** Mean time of a response of the service with one connection, in milliseconds. */
  meanMs: number[];
}

export interface MeasureOptions {
  connections: number;
  /** Runs of each side, in turns. */
  runs: number;
  seconds: number;
}

/** Measures a case on the service and on bare Express in turns, after a run of each that does not count. */
export async function measureCase(url: string, query: QueryCase, options: MeasureOptions): Promise<QueryFigures> {
  const responses = await Promise.all(
    query.bodies.map(async (body) => [JSON.stringify(body), await postBytes(url, query.path, body)] as const),
  );
  const rival = await BareExpress.start({
    path: query.path,
    responses: responses.map(([body, bytes]) => [body, bytes]),
  });
  const { connections, runs, seconds } = options;
  const figures: QueryFigures = {
    name: query.name,
    bytes: responses[0]?.[1].length ?? 0,
    equal: await areEqual(url, rival.url, query),
    service: [],
    bare: [],
    meanMs: [],
  };
  try {
    for (let run = 0; run <= runs; run++) {
      const service = await load(url, query, connections, seconds);
      const bare = await load(rival.url, query, connections, seconds);
      const alone = await load(url, query, 1, seconds);
      if (run === 0) continue;
      figures.service.push(service.perSecond);
      figures.bare.push(bare.perSecond);
      figures.meanMs.push(alone.meanMs);
    }
    figures.equal &&= await areEqual(url, rival.url, query);
    return figures;
  } finally {
    await rival.stop();
  }
}

async function areEqual(url: string, rivalUrl: string, { path: route, bodies }: QueryCase): Promise<boolean> {
  for (const body of bodies) {
    const [own, other] = [await postBytes(url, route, body), await postBytes(rivalUrl, route, body)];
    if (!own.equals(other)) return false;
  }
  return true;
}

async function load(
  url: string,
  { path: route, bodies }: QueryCase,
  connections: number,
  seconds: number,
): Promise<{ perSecond: number; meanMs: number }> {
  const requests = bodies.map((body) => ({ method: 'POST' as const, path: route, body: JSON.stringify(body) }));
  const result = await autocannon({ url, connections, duration: seconds, requests });
  const failed = result.non2xx + result.errors;
  if (failed > 0) throw new Error(`${failed} requests to ${route} failed`);
  // autocannon's percentiles are whole milliseconds, which is too coarse for one connection.
  const meanMs = (1000 * connections * result.duration) / result.requests.total;
  return { perSecond: result.requests.total / result.duration, meanMs };
}

class BareExpress {
  private constructor(
    readonly url: string,
    private readonly thread: Worker,
  ) {}

  static async start(data: BareExpressData): Promise<BareExpress> {
    const thread = new Worker(path.join(__dirname, 'bare-express.js'), { workerData: data });
    const [address] = (await once(thread, 'message')) as [AddressInfo];
    return new BareExpress(`http://127.0.0.1:${address.port}`, thread);
  }

  async stop(): Promise<void> {
    await this.thread.terminate();
  }
}
