import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import autocannon from 'autocannon';
import type { LoadOptions } from '../load-options';
import { mainThreadSeconds, processorSeconds } from '../processor-time';
import type { BareServerData } from './bare-server';
import { postBytes, type QueryCase } from './query-cases';
import { stringifyMs, type WithoutHttp } from './without-http';

/** A server that is measured. */
export interface MeasuredServer {
  url: string;
  pid: number;
}

/** Figures of one run on one server. */
export interface RunFigures {
  /** Requests per second with `connections` connections. */
  perSecond: number;
  /** Processor time of all threads of the server per request, in milliseconds; null where the system does not report it. */
  processorMs: number | null;
  /** The part of the main thread, which no further thread makes shorter. */
  mainThreadMs: number | null;
}

/** Figures of one case, by run, so that medians and spread can be taken. */
export interface QueryFigures {
  name: string;
  /** Of the first response. */
  bytes: number;
  /** Whether both sides sent the same bytes for every request, before and after the runs. */
  equal: boolean;
  service: RunFigures[];
  /** Bare Express. */
  bare: RunFigures[];
  /** Median time of a response of the service with one connection, in milliseconds. */
  aloneMs: number[];
  limits: RequestLimits;
}

/** Processor time per request of the parts that the service cannot be without, in milliseconds, by run. */
export interface RequestLimits {
  /** Of node's HTTP server without a framework, which sends the same bytes from memory. */
  bareHttpMs: number[];
  /** Of the endpoint without HTTP. */
  withoutHttpMs: number[];
  /** Of `JSON.stringify` with the objects of the response, which it neither reads nor decodes. */
  stringifyMs: number[];
}

/** Measures a case on the service, on bare Express and on its limits in turns, after a run of each that does not count. */
export async function measureCase(
  service: MeasuredServer,
  endpoints: WithoutHttp,
  query: QueryCase,
  options: LoadOptions,
): Promise<QueryFigures> {
  const responses = await Promise.all(
    query.bodies.map(async (body) => [JSON.stringify(body), await postBytes(service.url, query.path, body)] as const),
  );
  const data = { path: query.path, responses: responses.map(([body, bytes]): [string, Buffer] => [body, bytes]) };
  const rival = await BareServer.start({ framework: 'express', ...data });
  const http = await BareServer.start({ framework: 'none', ...data });
  const { connections, runs, seconds } = options;
  const figures: QueryFigures = {
    name: query.name,
    bytes: responses[0]?.[1].length ?? 0,
    equal: await areEqual(service.url, rival.url, endpoints, query),
    service: [],
    bare: [],
    aloneMs: [],
    limits: { bareHttpMs: [], withoutHttpMs: [], stringifyMs: [] },
  };
  try {
    for (let run = 0; run <= runs; run++) {
      const own = await load(service, query, connections, seconds);
      const bare = await load(rival, query, connections, seconds);
      const { responseMs } = await sendRequests(service.url, query, 1, seconds);
      const bareHttp = await load(http, query, connections, seconds);
      const withoutHttpMs = await endpoints.processorMs(query, seconds);
      const textMs = await stringifyMs(
        responses.map(([, bytes]) => bytes),
        seconds,
      );
      if (run === 0) continue;
      figures.service.push(own);
      figures.bare.push(bare);
      figures.aloneMs.push(medianOf(responseMs));
      figures.limits.bareHttpMs.push(bareHttp.processorMs ?? NaN);
      figures.limits.withoutHttpMs.push(withoutHttpMs);
      figures.limits.stringifyMs.push(textMs);
    }
    figures.equal &&= await areEqual(service.url, rival.url, endpoints, query);
    return figures;
  } finally {
    rival.stop();
    http.stop();
  }
}

/** The middle of the values, the upper one of two; NaN of none. */
export function medianOf(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1] ?? NaN;
}

async function areEqual(url: string, rivalUrl: string, endpoints: WithoutHttp, query: QueryCase): Promise<boolean> {
  const { path: route, bodies } = query;
  for (const body of bodies) {
    const own = await postBytes(url, route, body);
    const others = [await postBytes(rivalUrl, route, body), await endpoints.respond(query, body)];
    if (!others.every((other) => own.equals(other))) return false;
  }
  return true;
}

async function load(
  { url, pid }: MeasuredServer,
  query: QueryCase,
  connections: number,
  seconds: number,
): Promise<RunFigures> {
  const clocks = [processorSeconds, mainThreadSeconds];
  const before = clocks.map((clock) => clock(pid));
  const { responseMs, duration } = await sendRequests(url, query, connections, seconds);
  const [processorMs = null, mainThreadMs = null] = clocks.map((clock, index) => {
    const [from, to] = [before[index], clock(pid)];
    return from === undefined || to === undefined ? null : ((to - from) * 1000) / responseMs.length;
  });
  return { perSecond: responseMs.length / duration, processorMs, mainThreadMs };
}

/** Sends requests for a time. Resolves with the time of each response; rejects when one is not of status 2xx. */
export async function sendRequests(
  url: string,
  { path: route, bodies }: QueryCase,
  connections: number,
  seconds: number,
): Promise<{ responseMs: number[]; duration: number }> {
  const requests = bodies.map((body) => ({ method: 'POST' as const, path: route, body: JSON.stringify(body) }));
  // autocannon's own percentiles are whole milliseconds, which is too coarse for one connection.
  const responseMs: number[] = [];
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = { url, connections, duration: seconds, requests };
    const instance = autocannon(options, (error, ended) => (error ? reject(error as Error) : resolve(ended)));
    instance.on('response', (_client, _status, _bytes, milliseconds) => responseMs.push(milliseconds));
  });
  const failed = result.non2xx + result.errors;
  if (failed > 0) throw new Error(`${failed} requests to ${route} failed`);
  return { responseMs, duration: result.duration };
}

class BareServer implements MeasuredServer {
  private constructor(
    readonly url: string,
    readonly pid: number,
    private readonly child: ChildProcess,
  ) {}

  static async start(data: BareServerData): Promise<BareServer> {
    const child = fork(path.join(__dirname, 'bare-server.js'), { serialization: 'advanced' });
    child.send(data);
    const [port] = (await once(child, 'message')) as [number];
    return new BareServer(`http://127.0.0.1:${port}`, child.pid ?? 0, child);
  }

  /** The process ends when its channel closes, as it does when this process ends. */
  stop(): void {
    this.child.disconnect();
  }
}
