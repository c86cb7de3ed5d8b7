import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import type { BlockRecords } from '@antelope-history/records';
import type { StoreWriter } from '@antelope-history/store';
import { createDistributedSet, type DistributedSet, startListeningApp, stop } from '@antelope-history/processes';
import type { Services } from '@antelope-history/servers';
import { openElasticsearchStoreWriter } from '@antelope-history/store-elasticsearch/writer';
import { RecordingProxy } from './recording-proxy';

/** A chain in indices of a number of blocks each, an API and a gateway that read it. */
export interface IndexedLayout {
  blocksPerIndex: number;
  /** Number of ranges with an index of each kind. */
  ranges: number;
  prefix: string;
  apiUrl: string;
  gatewayUrl: string;
  /** An API whose requests to Elasticsearch go through `proxy`. */
  recordedApiUrl: string;
  proxy: RecordingProxy;
  remove(): Promise<void>;
}

/** Blocks are cleaned as soon as they are irreversible: the chain is the old part of a longer one. */
const CLEANED_AT_ONCE = {
  cleaning: { settleBlocks: 0, cleanBlocks: 1, forkPauseMs: 0, startPauseMs: 0, sweepEveryMs: Infinity },
  permissionDelayMs: 0,
  idleEveryMs: 0,
  directoryRetryMs: 0,
  tidyEveryMs: 0,
  dropAfterMs: 0,
  directory: { claimMs: 0, maxTallySize: 1_000_000 },
  postponeMs: 0,
};
const BLOCKS_AT_ONCE = 40;
const EPOCH = 1_000;
const POLL_MS = 200;
const SETTLE_LIMIT_MS = 600_000;

/** Writes the blocks of a recording without forks as an indexer does, and starts the apps. */
export async function indexLayout(
  services: Services,
  client: Client,
  blocks: readonly BlockRecords[],
  blocksPerIndex: number,
): Promise<IndexedLayout> {
  const set = await createDistributedSet(services);
  await write(set, client, blocks, blocksPerIndex);
  await client.indices.forcemerge({ index: `${set.name}-*`, max_num_segments: 1 }, { requestTimeout: 600_000 });
  await client.indices.refresh({ index: `${set.name}-*` });
  const { store, keyValue } = set.environment;
  const startApi = (urls: NodeJS.ProcessEnv = {}) =>
    startListeningApp('history-api', {
      ...store,
      ...keyValue,
      ...urls,
      HISTORY_HISTORY_API__PORT: '0',
      HISTORY_OPS__HISTORY_API_PORT: '0',
    });
  const api = await startApi();
  const proxy = await RecordingProxy.start(set.servers.get('elasticsearch') ?? '');
  const recordedApi = await startApi({ HISTORY_STORE__ELASTICSEARCH__URLS: proxy.url });
  const gateway = await startListeningApp('gateway', {
    ...keyValue,
    HISTORY_GATEWAY__PORT: '0',
    HISTORY_GATEWAY__HOST: '127.0.0.1',
    HISTORY_OPS__GATEWAY_PORT: '0',
    HISTORY_GATEWAY__HISTORY_API_URL: api.url,
  });
  const [first, last] = [blocks[0]?.position.num ?? 0, blocks.at(-1)?.position.num ?? 0];
  return {
    blocksPerIndex,
    ranges: Math.floor(last / blocksPerIndex) - Math.floor(first / blocksPerIndex) + 1,
    prefix: set.name,
    apiUrl: api.url,
    gatewayUrl: gateway.url,
    recordedApiUrl: recordedApi.url,
    proxy,
    async remove() {
      for (const { child } of [gateway, api, recordedApi]) await stop(child);
      await proxy.close();
      await set.remove();
    },
  };
}

async function write(
  set: DistributedSet,
  client: Client,
  blocks: readonly BlockRecords[],
  blocksPerIndex: number,
): Promise<void> {
  const writer = await openElasticsearchStoreWriter(
    {
      urls: [set.servers.get('elasticsearch') ?? ''],
      indexPrefix: set.name,
      blocksPerIndex,
      actionsPerIndex: 1_000_000_000,
      retainBlocks: 0,
      replicas: 0,
      bulkBytes: 8 * 1024 * 1024,
      bulkConcurrency: 2,
      commitSeconds: 0,
      requestTimeoutSeconds: 60,
    },
    CLEANED_AT_ONCE,
  );
  try {
    for (let start = 0; start < blocks.length; start += BLOCKS_AT_ONCE) {
      const some = blocks
        .slice(start, start + BLOCKS_AT_ONCE)
        .map((block, index) => ({ ...block, streamPosition: { epoch: EPOCH, sequence: EPOCH + start + index } }));
      await writer.writeBlocks(some);
    }
    await untilInDirectory(writer, client, set.name, blocksPerIndex);
  } finally {
    await writer.close();
  }
}

interface StoredProgress {
  clean_up_to: number;
  last_irreversible?: { num: number };
  directory?: { to: number };
}

/**
 * Resolves when the writer has cleaned all irreversible blocks and added all clean ranges to the directory, which it does after the last
 * commit.
 */
async function untilInDirectory(
  writer: StoreWriter,
  client: Client,
  prefix: string,
  blocksPerIndex: number,
): Promise<void> {
  const end = performance.now() + SETTLE_LIMIT_MS;
  for (;;) {
    // As the indexer does while no block arrives: what lost to another change of the progress is done again.
    await writer.maintain();
    const { _source } = await client.get<StoredProgress>({ index: `${prefix}-progress`, id: 'progress' });
    const { clean_up_to: cleanUpTo = 0, last_irreversible: irreversible, directory } = _source ?? {};
    const isClean = irreversible !== undefined && cleanUpTo >= irreversible.num;
    if (isClean && (directory?.to ?? 0) + blocksPerIndex - 1 > cleanUpTo) return;
    if (performance.now() > end) throw new Error('the directory was not built in time');
    await sleep(POLL_MS);
  }
}
