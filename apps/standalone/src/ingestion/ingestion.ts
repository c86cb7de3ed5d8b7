import { availableParallelism } from 'node:os';
import path from 'node:path';
import {
  type BlockDeserializer,
  createBlockDeserializer,
  startDeserializer,
} from '@antelope-history/deserializer-stage';
import { registerFreeBytes, startIndexer } from '@antelope-history/indexer-stage';
import { openBroker, registerQueueMetrics } from '@antelope-history/open-broker';
import { openKeyValue } from '@antelope-history/open-key-value';
import { openStoreWriter } from '@antelope-history/open-store-writer';
import { startReader } from '@antelope-history/reader-stage';
import type { Config, Logger, Registry } from '@antelope-history/app-runtime';
import type { ThreadList } from '../threads/thread-list';
import { DeserializerPool } from './deserializer-pool';

export interface IngestionContext {
  config: Config;
  log: Logger;
  registry: Registry;
  /** Receives the threads that deserialize. */
  threads: ThreadList;
  onStop(close: () => void | Promise<void>): void;
  fail(error: unknown): void;
}

/** Opens the store, broker and key-value store that the configuration names and starts the three stages over them. */
export async function startIngestion(context: IngestionContext): Promise<void> {
  const store = await openStoreWriter(context.config, context.log);
  context.onStop(() => store.close());
  registerFreeBytes(store, context.registry);
  const broker = await openBroker(context.config.broker, 'one process', context.log);
  context.onStop(() => broker.close());
  registerQueueMetrics(broker, context.registry);
  const keyValue = await openKeyValue(context.config.keyValue, 'one process', context.log);
  context.onStop(() => keyValue.close());
  const indexer = await startIndexer({ ...context, broker, store, keyValue });
  context.onStop(() => indexer.stop());
  const deserializer = await startDeserializer({
    ...context,
    broker,
    blockDeserializer: await openBlockDeserializer(context),
  });
  context.onStop(() => deserializer.stop());
  const reader = await startReader({ ...context, broker, keyValue });
  context.onStop(() => reader.stop());
}

/** Deserializes on the threads that the configuration asks for. */
async function openBlockDeserializer(context: IngestionContext): Promise<BlockDeserializer> {
  const { config, threads, onStop, fail } = context;
  const count = deserializerThreads(config);
  if (count === 0) return createBlockDeserializer(context);
  const file = path.join(__dirname, 'deserializer-thread.js');
  const pool = await DeserializerPool.start({ file, config, count, fail });
  onStop(() => pool.stop());
  threads.add(...pool.reporting);
  return pool;
}

/** One reads and writes blocks, one renders responses, and one reads requests and sends responses. */
const OTHER_THREADS = 3;
/** Two deserialize more blocks than the embedded store can write: docs/performance.md. */
const MAX_BY_DEFAULT = 2;

function deserializerThreads({ indexer }: Config): number {
  const free = Math.max(0, availableParallelism() - OTHER_THREADS);
  return indexer.deserializerThreads ?? Math.min(free, MAX_BY_DEFAULT);
}
