import { startDeserializer } from '@antelope-history/deserializer-stage';
import { MemoryBroker, MemoryKeyValue } from '@antelope-history/in-process';
import { startIndexer } from '@antelope-history/indexer-stage';
import { startReader } from '@antelope-history/reader-stage';
import type { Config, Logger, Registry } from '@antelope-history/service';
import { openLmdbStore } from '@antelope-history/store-lmdb';

export interface IngestionContext {
  config: Config;
  log: Logger;
  registry: Registry;
  onStop(close: () => void | Promise<void>): void;
  fail(error: unknown): void;
}

/** Composes the three stages over the embedded adapters; what is opened last stops first. */
export async function startIngestion(context: IngestionContext): Promise<void> {
  const { path, mapSizeBytes } = context.config.store;
  const store = await openLmdbStore({ path, mapSizeBytes, readOnly: false });
  context.onStop(() => store.close());
  const broker = new MemoryBroker();
  context.onStop(() => broker.close());
  const keyValue = new MemoryKeyValue();
  context.onStop(() => keyValue.close());
  const indexer = await startIndexer({ ...context, broker, store, keyValue });
  context.onStop(() => indexer.stop());
  const deserializer = await startDeserializer({ ...context, broker });
  context.onStop(() => deserializer.stop());
  const reader = await startReader({ ...context, broker, keyValue });
  context.onStop(() => reader.stop());
}
