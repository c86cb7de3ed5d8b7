import { LRUCache } from 'lru-cache';
import { ABI_BEYOND_BUDGET, type AbiDecoder, type BinaryAbi, compileBinaryAbi } from '@antelope-history/abi';
import { type AbiDecoders, createAbiDecoders, type ResponseBudget } from '@antelope-history/responses';
import { counter, type Registry } from '@antelope-history/app-runtime';
import type { AbiRequest, AbiVersion, ChainStatus, HistoryReader } from '@antelope-history/store';
import { readOneBranch } from './read-one-branch';
import type { RequestWork } from './request-work';

/** Maximum number of cached decoders; a busy chain has a few thousand contracts, most of them idle. */
const MAX_DECODERS = 4096;
/** Limit on the sum of the cached ABIs' upper bounds of memory, not on their current memory. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** Memory of a cache entry besides its decoder. */
const ENTRY_BYTES = 512;
/** Limit on packed ABIs per request; one request cannot compile more, see `AbiFootprint`. */
const MAX_READ_BYTES = 16 * 1024 * 1024;

export interface AbiReader {
  /**
   * Reads the records of a response and the ABIs in force at each of its actions, both from one branch of the chain: after
   * a fork between the two reads, both are repeated. ABIs that do not fit the request's budget decode nothing. Rejects with
   * `UNAVAILABLE` as `readOneBranch` does.
   */
  read<Found extends { status: ChainStatus }>(
    work: RequestWork,
    readFound: () => Promise<Found>,
    abisOf: (found: Found) => AbiRequest[] | Promise<AbiRequest[]>,
  ): Promise<{ found: Found; decoders: AbiDecoders }>;
}

export function createAbiReader(reader: HistoryReader, registry: Registry, app: string): AbiReader {
  const cache = new AbiCache(registry, app);
  const retries = counter(registry, {
    name: 'history_query_retries_total',
    help: 'Queries repeated because of a fork between their reads',
    labelNames: ['app'],
  });
  retries.inc({ app }, 0);
  return {
    read(work, readFound, abisOf) {
      const tryRead = async () => {
        const found = await readFound();
        const requests = await abisOf(found);
        if (requests.length === 0) return { found, decoders: createAbiDecoders([], []) };
        const decoders = await readDecoders(work, requests, found.status.revision, { reader, cache });
        return decoders && { found, decoders };
      };
      return readOneBranch(tryRead, () => retries.inc({ app }));
    },
  };
}

/** Undefined after a fork since the first read, which was of `revision`. */
async function readDecoders(
  work: RequestWork,
  requests: AbiRequest[],
  revision: number,
  { reader, cache }: { reader: HistoryReader; cache: AbiCache },
): Promise<AbiDecoders | undefined> {
  // The cache may evict an ABI between the store's question and its response.
  const held = new Map<string, BinaryAbi>();
  const isKnown = (id: string) => {
    const abi = cache.get(id);
    if (abi) held.set(id, abi);
    return abi !== undefined;
  };
  const { status, versions } = await reader.getAbis(requests, isKnown, MAX_READ_BYTES);
  if (status.revision !== revision) return undefined;
  const abiOf = ({ id, bytes }: AbiVersion) => held.get(id) ?? (bytes && cache.compile(id, bytes));
  return createAbiDecoders(requests, await work.run(chooseDecoders(versions, abiOf, work.budget)));
}

/** The compiled ABIs of an app, by the ids of their versions. */
class AbiCache {
  private readonly abis = new LRUCache<string, BinaryAbi>({
    max: MAX_DECODERS,
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ memoryBytes }) => ENTRY_BYTES + memoryBytes,
  });
  private readonly compiled: ReturnType<typeof counter>;

  constructor(
    registry: Registry,
    private readonly app: string,
  ) {
    this.compiled = counter(registry, {
      name: 'history_abis_compiled_total',
      help: 'ABIs compiled because they were not cached',
      labelNames: ['app'],
    });
    this.compiled.inc({ app }, 0);
  }

  get(id: string): BinaryAbi | undefined {
    return this.abis.get(id);
  }

  compile(id: string, bytes: Buffer): BinaryAbi {
    this.compiled.inc({ app: this.app });
    const abi = compileBinaryAbi(bytes);
    this.abis.set(id, abi);
    return abi;
  }
}

/**
 * The decoders of versions, in the order of the response's parts. Each version is counted once, whether it was cached or
 * not, so that a response does not depend on earlier requests. After the first ABI that does not fit, no other is used.
 */
function* chooseDecoders(
  versions: readonly (AbiVersion | undefined)[],
  abiOf: (version: AbiVersion) => BinaryAbi | undefined,
  budget: ResponseBudget,
): Generator<void, (AbiDecoder | undefined)[]> {
  const chosen = new Map<string, AbiDecoder | undefined>();
  let isFull = false;
  for (const version of versions) {
    if (!version || chosen.has(version.id)) continue;
    const abi: BinaryAbi | undefined = isFull ? undefined : abiOf(version);
    isFull ||= !abi || !budget.takeAbi(abi);
    chosen.set(version.id, isFull ? ABI_BEYOND_BUDGET : abi?.decoder);
    yield;
  }
  return versions.map((version) => version && chosen.get(version.id));
}
