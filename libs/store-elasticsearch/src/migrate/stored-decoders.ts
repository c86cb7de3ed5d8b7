import { LRUCache } from 'lru-cache';
import { type AbiDecoder, createAbiDecoder } from '@antelope-history/abi';
import type { AbiRequest } from '@antelope-history/store';
import { findAbis } from '../read/abi-query';
import type { QueryState } from '../read/query-state';

const MAX_DECODERS = 100;
const NO_BYTES = { isKnown: () => true, maxBytes: 0 };

/** Finds the decoders of the ABIs that were in force at stored actions. */
export class StoredDecoders {
  private readonly decoders = new LRUCache<string, { decoder: AbiDecoder | undefined }>({ max: MAX_DECODERS });

  /**
   * Calls `use` for each request in their order, with undefined where no valid ABI was in force. One decoder at a time: each action
   * may have an ABI of its own, and a decoder may take megabytes.
   */
  async forEach(
    state: QueryState,
    requests: readonly AbiRequest[],
    use: (index: number, decoder: AbiDecoder | undefined) => void,
  ): Promise<void> {
    const versions = await findAbis(state, requests, NO_BYTES);
    for (const [index, version] of versions.entries()) {
      use(index, version && (await this.decoderOf(version.id, requests[index] as AbiRequest, state)));
    }
  }

  private async decoderOf(id: string, request: AbiRequest, state: QueryState): Promise<AbiDecoder | undefined> {
    const known = this.decoders.get(id);
    if (known) return known.decoder;
    const [version] = await findAbis(state, [request], { isKnown: () => false, maxBytes: Infinity });
    const decoder = version?.bytes && createAbiDecoder(version.bytes);
    this.decoders.set(id, { decoder });
    return decoder;
  }
}
