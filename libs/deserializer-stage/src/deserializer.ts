import { setTimeout as sleep } from 'node:timers/promises';
import { TOPOLOGY, type Broker, type Delivery, type Subscription } from '@antelope-history/broker';
import type { BlockRecords, RawBlock } from '@antelope-history/records';
import type { HistoryError } from '@antelope-history/schemas';
import { counter, type Logger, type Registry } from '@antelope-history/app-runtime';
import { type BlockDeserializer, toHistoryError } from './block-deserializer';

export interface DeserializerDependencies {
  broker: Broker;
  log: Logger;
  registry: Registry;
  blockDeserializer: BlockDeserializer;
}

export interface Deserializer {
  stop(): Promise<void>;
}

/**
 * Starts deserializing raw blocks. A raw block is acknowledged when its block of records is durable in the broker. Blocks of records
 * are published in the order in which their raw blocks were delivered.
 */
export async function startDeserializer(dependencies: DeserializerDependencies): Promise<Deserializer> {
  const deserializer = new DeserializerLoop(dependencies);
  await deserializer.start();
  return deserializer;
}

/** How long a stop waits for the blocks that are being published. All others, and those that take longer, are delivered again. */
const STOP_LIMIT_MS = 1_000;

class DeserializerLoop implements Deserializer {
  private readonly failures;
  private subscription: Subscription | undefined;
  /** The deliveries that are not deserialized yet, oldest first. */
  private waiting: Delivery<RawBlock>[] = [];
  private isWorking = false;
  /** The blocks that are being deserialized, or wait for an older one: at most the deserializer's concurrency. */
  private readonly deserializing = new Set<Promise<void>>();
  /** Resolves when the newest of them is passed on. */
  private newest: Promise<void> = Promise.resolve();
  /**
   * The blocks that are being published: at most the queue's prefetch. Publishing one at a time would cost a round trip per
   * block.
   */
  private readonly publishing = new Set<Promise<void>>();
  private stopped = false;

  constructor(private readonly dependencies: DeserializerDependencies) {
    const { registry } = dependencies;
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
      if (this.publishing.size >= TOPOLOGY.rawBlocks.prefetch) {
        await Promise.race(this.publishing);
      } else if (this.deserializing.size >= this.dependencies.blockDeserializer.concurrency) {
        await Promise.race(this.deserializing);
      } else {
        this.begin(this.waiting.shift() as Delivery<RawBlock>);
        // Lets the event loop serve sockets and timers between two blocks.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    this.isWorking = false;
  }

  /** Begins to deserialize a block. It is passed on after those that began before it. */
  private begin(delivery: Delivery<RawBlock>): void {
    if (delivery.isLost()) return;
    const passOn = this.deserialize(delivery);
    const passed = Promise.all([passOn, this.newest])
      .then(([pass]) => pass())
      .finally(() => this.deserializing.delete(passed));
    this.deserializing.add(passed);
    this.newest = passed;
  }

  /** Resolves with what passes the result on. */
  private async deserialize(delivery: Delivery<RawBlock>): Promise<() => void> {
    try {
      const records = await this.dependencies.blockDeserializer.deserialize(delivery.message);
      return () => {
        if (!this.stopped) this.track(this.publish(delivery, records));
      };
    } catch (error) {
      const reason = toHistoryError(error);
      return () => {
        // The block is delivered again when the subscription has ended.
        if (reason.code !== 'STOPPED') this.track(this.reject(delivery, reason));
      };
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
