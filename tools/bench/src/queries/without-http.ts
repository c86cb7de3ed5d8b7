import { createLogger, loadConfig, Registry } from '@antelope-history/app-runtime';
import { createChainResponders } from '@antelope-history/chain-endpoints';
import { createHistoryResponders } from '@antelope-history/history-endpoints';
import type { Respond } from '@antelope-history/endpoint-kit';
import type { StoreReader } from '@antelope-history/store';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { createTraceResponders } from '@antelope-history/trace-endpoints';
import type { QueryCase } from './query-cases';

const NEVER = new AbortController().signal;

/**
 * The endpoints on a service's data in this process, without HTTP: what queries and rendering take of a request. With the processor
 * time of a bare server it says how far a service could come that has no HTTP of its own.
 */
export class WithoutHttp {
  private constructor(
    private readonly reader: StoreReader,
    private readonly responders: Map<string, Respond>,
  ) {}

  /** `data`: the data directory, which the service may write meanwhile. */
  static async open(data: string): Promise<WithoutHttp> {
    const { api: config, store } = loadConfig({});
    const reader = await openLmdbStoreReader({ ...store.lmdb, path: data });
    const deps = { reader, config, log: createLogger('bench', 'silent'), registry: new Registry() };
    const groups = [createHistoryResponders(deps), createChainResponders(deps), createTraceResponders(deps)];
    return new WithoutHttp(reader, new Map(groups.flatMap((group) => [...group])));
  }

  close(): Promise<void> {
    return this.reader.close();
  }

  /** The bytes of a response. */
  async respond({ path }: QueryCase, body: Record<string, unknown>): Promise<Buffer> {
    const respond = this.responders.get(path);
    if (!respond) throw new Error(`no endpoint has the path ${path}`);
    return Buffer.concat((await respond(body, NEVER)).pieces);
  }

  /** Processor time of a response in milliseconds, over some seconds. */
  processorMs(query: QueryCase, seconds: number): Promise<number> {
    return processorMsOf(seconds, query.bodies, (body) => this.respond(query, body));
  }
}

/** Processor time that `JSON.stringify` takes in milliseconds, given the objects of these responses: it has nothing to read or decode. */
export function stringifyMs(responses: readonly Buffer[], seconds: number): Promise<number> {
  const values = responses.map((response) => JSON.parse(response.toString()) as unknown);
  return processorMsOf(seconds, values, (value) => Promise.resolve(Buffer.from(JSON.stringify(value))));
}

/** Calls `run` with each value in turn for some seconds; resolves with the processor time of a call in milliseconds. */
async function processorMsOf<T>(
  seconds: number,
  values: readonly T[],
  run: (value: T) => Promise<unknown>,
): Promise<number> {
  const end = performance.now() + seconds * 1000;
  const before = process.cpuUsage();
  let calls = 0;
  for (; performance.now() < end; calls++) await run(values[calls % values.length] as T);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}
