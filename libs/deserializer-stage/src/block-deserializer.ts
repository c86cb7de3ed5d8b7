import { type Config, histogram, type Registry } from '@antelope-history/app-runtime';
import { deserializeBlock } from '@antelope-history/deserialize';
import type { BlockRecords, RawBlock } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { createShipProtocol, type BlocksResult, type ShipProtocol } from '@antelope-history/ship';
import { BlockVerifier } from './block-verifier';

/** Turns raw blocks into blocks of records. */
export interface BlockDeserializer {
  /** The number of blocks that it works on at the same time. */
  readonly concurrency: number;
  /**
   * Resolves with undefined for a message without a block. Rejects with the error of a block that cannot be deserialized; its
   * message names the block. Rejects with `STOPPED` when the deserializer has ended, which says nothing about the block.
   */
  deserialize(raw: RawBlock): Promise<BlockRecords | undefined>;
}

export interface BlockDeserializerOptions {
  config: { indexer: Pick<Config['indexer'], 'verifyBlocks'> };
  registry: Registry;
}

export const DESERIALIZE_DURATION = 'history_deserialize_duration_seconds';

/** Creates a deserializer that works on the calling thread. */
export function createBlockDeserializer({ config, registry }: BlockDeserializerOptions): BlockDeserializer {
  const protocols = new ProtocolCache();
  const verifier = new BlockVerifier(config.indexer.verifyBlocks, registry);
  const durations = histogram(registry, {
    name: DESERIALIZE_DURATION,
    help: 'Duration of deserializing one block',
    buckets: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  });
  return {
    concurrency: 1,
    async deserialize(raw) {
      const protocol = protocols.get(raw.abi);
      const result = protocol.readResult(raw.message);
      if (result.kind !== 'blocks' || !result.blocks.thisBlock) return undefined;
      const end = durations.startTimer();
      const { blocks } = result;
      const records = await named(blocks, async () => {
        const deserialized = deserializeBlock(blocks, protocol, raw);
        await verifier.verify(deserialized);
        return deserialized;
      });
      end();
      return records;
    },
  };
}

/** Works on a block; the message of an error names the block. */
async function named<T>({ thisBlock }: BlocksResult, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = toHistoryError(error);
    throw new HistoryError(code, `block ${thisBlock?.num ?? 0}: ${message}`, { cause: error });
  }
}

/** The error of a block; what was not expected means that the block does not decode. */
export function toHistoryError(error: unknown): HistoryError {
  if (error instanceof HistoryError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new HistoryError('DECODE_FAILED', detail, { cause: error });
}

/** Compiled readers by ABI frame. A worker sees one frame per version of the nodes that are read. */
const MAX_PROTOCOLS = 16;

class ProtocolCache {
  private readonly protocols = new Map<string, ShipProtocol>();

  get(abiFrame: string): ShipProtocol {
    let protocol = this.protocols.get(abiFrame);
    if (!protocol) {
      if (this.protocols.size >= MAX_PROTOCOLS) this.protocols.clear();
      this.protocols.set(abiFrame, (protocol = createShipProtocol(abiFrame)));
    }
    return protocol;
  }
}
