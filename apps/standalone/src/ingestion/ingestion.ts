import { startDeserializer } from '@antelope-history/deserializer-stage';
import { registerFreeBytes, startIndexer } from '@antelope-history/indexer-stage';
import { openBroker, registerQueueMetrics } from '@antelope-history/open-broker';
import { openKeyValue } from '@antelope-history/open-key-value';
import { openStoreWriter } from '@antelope-history/open-store-writer';
import { startReader } from '@antelope-history/reader-stage';
import type { Config, Logger, Registry } from '@antelope-history/app-runtime';

export interface IngestionContext {
  config: Config;
  log: Logger;
  registry: Registry;
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
  const deserializer = await startDeserializer({ ...context, broker });
  context.onStop(() => deserializer.stop());
  const reader = await startReader({ ...context, broker, keyValue });
  context.onStop(() => reader.stop());
}
