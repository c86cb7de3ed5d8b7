import { openBroker, openKeyValue, openStoreWriter, showQueues } from '@antelope-history/backends';
import { startDeserializer } from '@antelope-history/deserializer-stage';
import { startIndexer } from '@antelope-history/indexer-stage';
import { startReader } from '@antelope-history/reader-stage';
import type { Config, Logger, Registry } from '@antelope-history/service';

export interface IngestionContext {
  config: Config;
  log: Logger;
  registry: Registry;
  onStop(close: () => void | Promise<void>): void;
  fail(error: unknown): void;
}

/** Composes the three stages over what the configuration names; what is opened last stops first. */
export async function startIngestion(context: IngestionContext): Promise<void> {
  const store = await openStoreWriter(context.config.store, context.log);
  context.onStop(() => store.close());
  const broker = await openBroker(context.config.broker, 'one process', context.log);
  context.onStop(() => broker.close());
  showQueues(broker, context.registry);
  const keyValue = await openKeyValue(context.config.keyValue, 'one process', context.log);
  context.onStop(() => keyValue.close());
  const indexer = await startIndexer({ ...context, broker, store, keyValue });
  context.onStop(() => indexer.stop());
  const deserializer = await startDeserializer({ ...context, broker });
  context.onStop(() => deserializer.stop());
  const reader = await startReader({ ...context, broker, keyValue });
  context.onStop(() => reader.stop());
}
