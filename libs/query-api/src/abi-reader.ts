import { LRUCache } from 'lru-cache';
import { type AbiDecoder, createAbiDecoder } from '@antelope-history/abi';
import { type AbiDecoders, createAbiDecoders } from '@antelope-history/answers';
import type { AbiRequest, ChainStatus } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { counter, type Registry } from '@antelope-history/service';
import type { AbiVersion, HistoryReader } from '@antelope-history/store';

/** Decoders live as long as they are in use; a busy chain has a few thousand contracts, most of them idle. */
const MAX_DECODERS = 4096;
const MAX_ABI_BYTES = 64 * 1024 * 1024;
/** A fork undone between the two reads of a query is rare, several in a row are rarer than a broken store. */
const MAX_TRIES = 5;

export interface AbiReader {
  /**
   * Reads what an answer is made of and the ABIs in force at each of its actions, both from one branch of the chain:
   * when a fork was undone in between, both are read again. Rejects with `UNAVAILABLE` after too many of them.
   */
  read<Found extends { status: ChainStatus }>(
    readFound: () => Promise<Found>,
    abisOf: (found: Found) => AbiRequest[],
  ): Promise<{ found: Found; decoders: AbiDecoders }>;
}

/** A compiled ABI; without a decoder when the ABI is empty or broken. */
interface CompiledAbi {
  decoder: AbiDecoder | undefined;
  abiBytes: number;
}

export function createAbiReader(reader: HistoryReader, registry: Registry, app: string): AbiReader {
  const cache = new LRUCache<string, CompiledAbi>({
    max: MAX_DECODERS,
    maxSize: MAX_ABI_BYTES,
    sizeCalculation: ({ abiBytes }) => Math.max(1, abiBytes),
  });
  const compiled = counter(registry, {
    name: 'history_abis_compiled_total',
    help: 'ABIs compiled because the cache did not have them',
    labelNames: ['app'],
  });
  const retries = counter(registry, {
    name: 'history_query_retries_total',
    help: 'Queries read again because a fork was undone between their reads',
    labelNames: ['app'],
  });
  compiled.inc({ app }, 0);
  retries.inc({ app }, 0);

  function compile({ id, bytes }: AbiVersion): CompiledAbi {
    if (!bytes) throw new HistoryError('INTERNAL', `the store left out the bytes of the unknown ABI ${id}`);
    compiled.inc({ app });
    const abi = { decoder: createAbiDecoder(bytes), abiBytes: bytes.length };
    cache.set(id, abi);
    return abi;
  }

  /** Undefined when a fork came in between. */
  async function readDecoders(requests: AbiRequest[], revision: number): Promise<AbiDecoders | undefined> {
    // What was known when the store asked may be evicted before it answers.
    const held = new Map<string, CompiledAbi>();
    const isKnown = (id: string) => {
      const abi = cache.get(id);
      if (abi) held.set(id, abi);
      return abi !== undefined;
    };
    const { status, versions } = await reader.getAbis(requests, isKnown);
    if (status.revision !== revision) return undefined;
    const decoders = versions.map((version) => {
      if (!version) return undefined;
      const abi = held.get(version.id) ?? compile(version);
      held.set(version.id, abi);
      return abi.decoder;
    });
    return createAbiDecoders(requests, decoders);
  }

  return {
    async read(readFound, abisOf) {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        if (tries > 0) retries.inc({ app });
        const found = await readFound();
        const requests = abisOf(found);
        if (requests.length === 0) return { found, decoders: createAbiDecoders([], []) };
        const decoders = await readDecoders(requests, found.status.revision);
        if (decoders) return { found, decoders };
      }
      throw new HistoryError('UNAVAILABLE', 'the chain is forking: try again');
    },
  };
}
