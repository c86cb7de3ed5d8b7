import { medianOf, sendRequests } from '../queries/measure-queries';
import { postBytes, type QueryCase } from '../queries/query-cases';
import type { LoadOptions } from '../load-options';
import { threadSeconds } from '../processor-time';

/** A service with a number of threads that render responses. */
export interface ThreadedService {
  threads: number;
  url: string;
  pid: number;
}

/** Processor time per request in milliseconds, and the rate, of one run. */
export interface ThreadRun {
  perSecond: number;
  /** Of the thread that reads requests and sends responses. */
  mainMs: number;
  /** Of all threads that render responses together. */
  renderMs: number;
}

/** Figures of one kind of requests. */
export interface ThreadFigures {
  name: string;
  /** Whether all services sent the same bytes. */
  equal: boolean;
  /** Per service, one after another. */
  runs: ThreadRun[][];
}

/** Measures a case on all services in turns, after a run of each that does not count. */
export async function measureThreads(
  services: readonly ThreadedService[],
  query: QueryCase,
  options: LoadOptions,
): Promise<ThreadFigures> {
  const runs = services.map((): ThreadRun[] => []);
  for (let run = 0; run <= options.runs; run++) {
    for (const [index, service] of services.entries()) {
      const measured = await measureRun(service, query, options);
      if (run > 0) runs[index]?.push(measured);
    }
  }
  return { name: query.name, equal: await areEqual(services, query), runs };
}

/**
 * The processor time that a response takes with one thread, as a share of that with more threads, for each service after the first.
 * Median of the runs; 1: each of the threads renders as many responses as one alone.
 */
export function perThread({ runs: [alone = [], ...others] }: ThreadFigures): number[] {
  return others.map((beside) => medianOf(beside.map(({ renderMs }, run) => (alone[run]?.renderMs ?? NaN) / renderMs)));
}

async function measureRun(
  { threads, url, pid }: ThreadedService,
  query: QueryCase,
  { connections, seconds }: LoadOptions,
): Promise<ThreadRun> {
  const before = threadSeconds(pid);
  const { responseMs, duration } = await sendRequests(url, query, connections, seconds);
  const used = [...threadSeconds(pid)].map(([id, now]) => ({ id, seconds: now - (before.get(id) ?? 0) }));
  // Threads of V8 help all others; those that render responses do most.
  const rendering = used
    .filter(({ id }) => id !== pid)
    .map((thread) => thread.seconds)
    .sort((left, right) => right - left)
    .slice(0, threads);
  const perRequest = (total: number): number => (total * 1000) / responseMs.length;
  return {
    perSecond: responseMs.length / duration,
    mainMs: perRequest(used.find(({ id }) => id === pid)?.seconds ?? NaN),
    renderMs: perRequest(rendering.reduce((sum, each) => sum + each, 0)),
  };
}

async function areEqual(services: readonly ThreadedService[], { path, bodies }: QueryCase): Promise<boolean> {
  for (const body of bodies) {
    const [first, ...others] = await Promise.all(services.map(({ url }) => postBytes(url, path, body)));
    if (!first || !others.every((other) => other.equals(first))) return false;
  }
  return true;
}
