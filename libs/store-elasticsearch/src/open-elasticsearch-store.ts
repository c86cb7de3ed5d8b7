import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { composeStore, type HistoryStore } from '@antelope-history/store';
import { createClient } from './client';
import { BranchDocuments } from './commits/branch-documents';
import { CommitSchedule } from './commits/commit-schedule';
import { Committer } from './commits/committer';
import { Housekeeping } from './commits/housekeeping';
import { Journal } from './commits/journal';
import { PermissionCleaner } from './commits/permission-cleaner';
import { emptyProgress, ProgressStore } from './commits/progress-store';
import type { ElasticsearchOptions } from './elasticsearch-options';
import { IndexNames } from './indices/index-names';
import { Indices } from './indices/indices';
import { ElasticsearchReader } from './queries/elasticsearch-reader';
import { Searcher } from './search/search';
import { BlockWriter } from './writes/block-writer';
import { BulkWriter } from './writes/bulk-writer';
import { ElasticsearchWriter } from './writes/elasticsearch-writer';

/** What follows from how long requests may take, and is no matter of taste. */
export interface ElasticsearchDelays {
  /** See `CleaningRules`: 500 blocks are more than four minutes. */
  settleBlocks: number;
  /** See `HousekeepingDelays`. */
  tidyEveryMs: number;
  dropAfterMs: number;
}

/** How long closing waits for what is under way. What a cut writes in vain is delivered again. */
const CLOSE_LIMIT_MS = 2_000;
const DELAYS: ElasticsearchDelays = { settleBlocks: 500, tidyEveryMs: 5_000, dropAfterMs: 120_000 };

/**
 * Opens the shared store, `readOnly` for those that only answer; any number of processes may write and read it. Makes the
 * templates and indices that are missing, unless `readOnly`. Rejects with
 * - `STORE_UNAVAILABLE` when the cluster can not be reached;
 * - `ACCESS_REFUSED`, `CERTIFICATE_REFUSED`, `STORE_REFUSED` when somebody has to change something first;
 * - `STORE_FORMAT_MISMATCH` when the indices were written by another format version.
 */
export async function openElasticsearchStore(
  options: ElasticsearchOptions,
  { readOnly }: { readOnly: boolean },
  delays: ElasticsearchDelays = DELAYS,
): Promise<HistoryStore> {
  const client = createClient(options);
  const names = new IndexNames(options.indexPrefix);
  try {
    const reader = new ElasticsearchReader(client, names, options.requestTimeoutSeconds);
    if (readOnly) await reader.getStatus();
    const writer = readOnly ? undefined : await openWriter(client, names, options, delays);
    const close = async (): Promise<void> => {
      reader.close();
      await writer?.close();
      await client.close();
    };
    return composeStore(reader, writer, () =>
      Promise.race([close(), sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]),
    );
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function openWriter(
  client: Client,
  names: IndexNames,
  options: ElasticsearchOptions,
  { settleBlocks, tidyEveryMs, dropAfterMs }: ElasticsearchDelays,
): Promise<ElasticsearchWriter> {
  const { replicas, bulkBytes, bulkConcurrency, retainBlocks, commitSeconds } = options;
  const progress = new ProgressStore(client, names);
  const indices = new Indices(client, names, replicas);
  // Before anything of another format version is touched.
  const isNew = !(await progress.read());
  await indices.prepare();
  if (isNew) await progress.create(emptyProgress(options.blocksPerIndex));
  const searcher = new Searcher(client, options.requestTimeoutSeconds);
  const bulk = new BulkWriter(client, bulkConcurrency);
  const journal = new Journal(client, names, searcher, bulk);
  const documents = new BranchDocuments(client, names, searcher, bulk);
  const permissions = new PermissionCleaner(names, searcher, bulk);
  const housekeeping = new Housekeeping(
    { journal, permissions, indices },
    { tidyEveryMs, dropAfterMs: retainBlocks > 0 ? dropAfterMs : undefined },
  );
  const committer = new Committer({ progress, journal, documents }, { settleBlocks, retainBlocks });
  const commits = new CommitSchedule(committer, housekeeping, commitSeconds * 1000);
  const blocks = new BlockWriter(names, indices, bulk, bulkBytes);
  return new ElasticsearchWriter({ progress, blocks, journal, commits, bulk });
}
