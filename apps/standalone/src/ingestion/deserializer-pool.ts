import type { Config } from '@antelope-history/app-runtime';
import { TOPOLOGY } from '@antelope-history/broker';
import type { BlockDeserializer } from '@antelope-history/deserializer-stage';
import type { BlockRecords, RawBlock } from '@antelope-history/records';
import { toBuffer, toOwned } from '../threads/owned-bytes';
import { PendingTasks } from '../threads/pending-tasks';
import { ServiceThread } from '../threads/service-thread';
import type { ReportingThread } from '../threads/thread-list';
import { fromPostedError } from '../threads/thread-messages';
import type { DeserializerResult, DeserializerTask } from './deserializer-messages';

export interface DeserializerPoolOptions {
  /** The compiled file of a thread. */
  file: string;
  config: Config;
  /** Number of threads, at least 1. */
  count: number;
  /** Called when a thread fails after it has become ready. */
  fail(error: unknown): void;
}

/** A thread works on one block while the next one is on its way to it. */
const BLOCKS_PER_THREAD = 2;
/** As for the ingestion thread: deserializing makes few objects that live long. */
const MEMORY = { maxYoungGenerationSizeMb: 24 };

/**
 * Threads that deserialize blocks. A raw block goes to a thread, and its records come back, in the form that the queues have between
 * processes. Raw blocks are copied: one that cannot be deserialized goes to the dead letters as it came.
 */
export class DeserializerPool implements BlockDeserializer {
  private constructor(private readonly threads: readonly DeserializerThread[]) {}

  /** Resolves when all threads are ready. */
  static async start({ count, ...options }: DeserializerPoolOptions): Promise<DeserializerPool> {
    const starting = Array.from({ length: count }, () => DeserializerThread.start(options));
    return new DeserializerPool(await Promise.all(starting));
  }

  /** What the threads report of themselves. */
  get reporting(): readonly ReportingThread[] {
    return this.threads.map(({ service }) => service);
  }

  get concurrency(): number {
    return this.threads.length * BLOCKS_PER_THREAD;
  }

  /** Passes the block to the thread with the fewest. */
  deserialize(raw: RawBlock): Promise<BlockRecords | undefined> {
    return this.threads.reduce((least, each) => (each.pending < least.pending ? each : least)).deserialize(raw);
  }

  async stop(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.stop()));
  }
}

/** One thread of the pool, and the blocks that it works on. */
class DeserializerThread {
  private constructor(
    readonly service: ServiceThread<DeserializerTask, DeserializerResult>,
    private readonly blocks: PendingTasks<BlockRecords | undefined>,
  ) {}

  static async start({ file, config, fail }: Omit<DeserializerPoolOptions, 'count'>): Promise<DeserializerThread> {
    const blocks = new PendingTasks<BlockRecords | undefined>();
    const service = await ServiceThread.start<DeserializerTask, DeserializerResult>({
      file,
      name: 'deserializer',
      config,
      memory: MEMORY,
      onResult: (result) => settle(blocks, result),
      fail: (error) => {
        blocks.end();
        fail(error);
      },
    });
    return new DeserializerThread(service, blocks);
  }

  get pending(): number {
    return this.blocks.size;
  }

  deserialize(block: RawBlock): Promise<BlockRecords | undefined> {
    return this.blocks.run((id) => {
      const raw = toOwned(TOPOLOGY.rawBlocks.codec.encode(block));
      this.service.send({ id, raw }, [raw.buffer]);
    });
  }

  async stop(): Promise<void> {
    await this.service.stop();
    this.blocks.end();
  }
}

function settle(blocks: PendingTasks<BlockRecords | undefined>, result: DeserializerResult): void {
  if (result.kind === 'error') return blocks.reject(result.id, fromPostedError(result.error));
  const { id, records } = result;
  blocks.resolve(id, records && TOPOLOGY.blockRecords.codec.decode(toBuffer(records)));
}
