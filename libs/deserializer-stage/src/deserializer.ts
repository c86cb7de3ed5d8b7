import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type Broker, type Delivery, type Subscription } from '@antelope-history/broker';
import type { BlockRecords, RawBlock } from '@antelope-history/records';
import { deserializeBlock } from '@antelope-history/deserialize';
import { HistoryError } from '@antelope-history/schemas';
import { counter, histogram, type Logger, type Registry } from '@antelope-history/app-runtime';
import { BlockVerifier, type VerifiedBlocks } from './block-verifier';
import { createShipProtocol, type BlocksResult, type ShipProtocol } from '@antelope-history/ship';

export interface DeserializerDependencies {
  broker: Broker;
  log: Logger;
  registry: Registry;
  config: { indexer: { verifyBlocks: VerifiedBlocks } };
}

export interface Deserializer {
  stop(): Promise<void>;
}

/** Starts deserializing raw blocks. A raw block is acknowledged when its block of records is durable in the broker. */
export async function startDeserializer(dependencies: DeserializerDependencies): Promise<Deserializer> {
  const deserializer = new DeserializerLoop(dependencies);
  await deserializer.start();
  return deserializer;
}

export const DESERIALIZE_DURATION = 'history_deserialize_duration_seconds';
/** How long a stop waits for the blocks in progress. A block that is not published by then is delivered again. */
const STOP_LIMIT_MS = 1_000;

class DeserializerLoop implements Deserializer {
  private readonly protocols = new ProtocolCache();
  private readonly durations;
  private readonly failures;
  private readonly verifier: BlockVerifier;
  private subscription: Subscription | undefined;
  /** The deliveries that are not deserialized yet, oldest first. */
  private waiting: Delivery<RawBlock>[] = [];
  private isWorking = false;
  /**
   * The blocks that are being published: at most the queue's prefetch. Publishing one at a time would cost a round trip per
   * block.
   */
  private readonly publishing = new Set<Promise<void>>();
  private stopped = false;

  constructor(private readonly dependencies: DeserializerDependencies) {
    const { registry, config } = dependencies;
    this.verifier = new BlockVerifier(config.indexer.verifyBlocks, registry);
    this.durations = histogram(registry, {
      name: DESERIALIZE_DURATION,
      help: 'Duration of deserializing one block',
      buckets: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    });
    this.failures = counter(registry, {
      name: 'history_corrupt_blocks_total',
      help: 'Blocks that could not be deserialized, by error code',
      labelNames: ['code'],
    });
    for (const code of [
      'DECODE_FAILED',
      'SHIP_MESSAGE_CORRUPT',
      'SHIP_UNSUPPORTED',
      'SHIP_DATA_MISSING',
      'BLOCK_ALTERED',
    ]) {
      this.failures.inc({ code }, 0);
    }
  }

  async start(): Promise<void> {
    this.subscription = await this.dependencies.broker.consume(TOPOLOGY.rawBlocks, (delivery) => this.add(delivery));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.subscription?.cancel();
    await Promise.race([Promise.all(this.publishing), sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
  }

  /** Drops what is delivered again, so that no more is held than the broker has outstanding. */
  private add(delivery: Delivery<RawBlock>): void {
    if (this.waiting[0]?.isLost()) this.waiting = this.waiting.filter((each) => !each.isLost());
    this.waiting.push(delivery);
    void this.work();
  }

  private async work(): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    while (this.waiting.length > 0 && !this.stopped) {
      if (this.publishing.size < TOPOLOGY.rawBlocks.prefetch) {
        await this.process(this.waiting.shift() as Delivery<RawBlock>);
        // Lets the event loop serve sockets and timers between two blocks.
        await new Promise((resolve) => setImmediate(resolve));
      } else {
        await Promise.race(this.publishing);
      }
    }
    this.isWorking = false;
  }

  /** Resolves when the block is deserialized, so that blocks are published in the order of their delivery. */
  private async process(delivery: Delivery<RawBlock>): Promise<void> {
    if (delivery.isLost()) return;
    try {
      const records = await this.deserialize(delivery.message);
      if (!this.stopped) this.track(this.publish(delivery, records));
    } catch (error) {
      this.track(this.reject(delivery, toHistoryError(error)));
    }
  }

  private track(settling: Promise<void>): void {
    const publishing = settling.finally(() => this.publishing.delete(publishing));
    this.publishing.add(publishing);
  }

  /** A block that cannot be published is delivered again. */
  private async publish(delivery: Delivery<RawBlock>, records: BlockRecords | undefined): Promise<void> {
    try {
      if (records) await this.dependencies.broker.publish(TOPOLOGY.blockRecords, records);
      delivery.acknowledge();
    } catch (error) {
      this.requeue(delivery, error);
    }
  }

  private async deserialize(raw: RawBlock): Promise<BlockRecords | undefined> {
    const protocol = this.protocols.get(raw.abi);
    const result = protocol.readResult(raw.message);
    if (result.kind !== 'blocks' || !result.blocks.thisBlock) return undefined;
    const end = this.durations.startTimer();
    const { blocks } = result;
    const records = await named(blocks, async () => {
      const deserialized = deserializeBlock(blocks, protocol, raw);
      await this.verifier.verify(deserialized);
      return deserialized;
    });
    end();
    return records;
  }

  /** Dead-letters the message with its reason and requests a refetch: the block must not be skipped and not block the queue. */
  private async reject(delivery: Delivery<RawBlock>, reason: HistoryError): Promise<void> {
    const { log, broker } = this.dependencies;
    this.failures.inc({ code: reason.code });
    log.error({ code: reason.code, error: reason }, reason.message);
    try {
      await broker.publish(TOPOLOGY.refetch, { code: reason.code, reason: reason.message });
      delivery.reject(reason);
    } catch (error) {
      this.requeue(delivery, error);
    }
  }

  private requeue(delivery: Delivery<RawBlock>, error: unknown): void {
    if (!this.stopped) this.dependencies.log.warn({ error }, 'a block could not be published; it is delivered again');
    delivery.requeue();
  }
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

function toHistoryError(error: unknown): HistoryError {
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
