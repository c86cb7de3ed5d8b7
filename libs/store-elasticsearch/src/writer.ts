import { randomUUID } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import { DataFields } from '@antelope-history/data-fields';
import { HistoryError } from '@antelope-history/schemas';
import type { StoreRepairer, StoreWriter } from '@antelope-history/store';
import { createClient } from './client/client';
import type { ElasticsearchOptions, ElasticsearchWriterOptions } from './client/elasticsearch-options';
import { Searcher } from './client/search';
import { BlockRepair } from './commit/block-repair';
import { BranchCleaner, type CleaningRules } from './commit/branch-cleaner';
import { BranchDocuments } from './commit/branch-documents';
import { BranchPositions } from './commit/branch-positions';
import { CommitSchedule } from './commit/commit-schedule';
import { Committer } from './commit/committer';
import { DirectoryBuilder, type DirectoryRules } from './commit/directory-builder';
import { ElasticsearchWriter } from './commit/elasticsearch-writer';
import { Housekeeping } from './commit/housekeeping';
import { Journal } from './commit/journal';
import { PermissionCleaner } from './commit/permission-cleaner';
import { ProgressStore } from './commit/progress-store';
import { StaleDataRepair } from './commit/stale-data-repair';
import { WriteTerms } from './commit/write-terms';
import { IndexNames } from './indices/index-names';
import { MigrationPlans } from './indices/migration-plan';
import { parseTiers } from './indices/index-tiers';
import { emptyProgress, layoutOf, READABLE_FOR_MS, writeTermsOf } from './indices/progress';
import { BlockWriter } from './write/block-writer';
import { BulkWriter } from './write/bulk-writer';
import { CommittedAbis } from './write/committed-abis';
import { DataAbis } from './write/data-abis';
import { IndexProvisioner } from './write/index-provisioner';
import { type WriteFences, writeFencesOf } from './write/write-fence';

export type { ElasticsearchOptions, ElasticsearchWriterOptions } from './client/elasticsearch-options';

/** Delays that follow from how long requests may take; the configuration does not change them. */
export interface ElasticsearchDelays {
  /** See `CleaningRules`: 120 blocks are a minute, six times as long as a query relies on them (`READABLE_FOR_MS`). */
  cleaning: CleaningRules;
  /** See `PermissionCleaner`. */
  permissionDelayMs: number;
  /** See `HousekeepingDelays`. */
  idleEveryMs: number;
  directoryRetryMs: number;
  tidyEveryMs: number;
  /** For this time indices of removed blocks, and directories that are replaced, stay for queries that began before. */
  dropAfterMs: number;
  /** See `DirectoryRules`. */
  directory: DirectoryRules;
  /** How long blocks are postponed that need an ABI which another process has yet to write; then the known one is assumed. */
  postponeMs: number;
}

const DELAYS: ElasticsearchDelays = {
  cleaning: { settleBlocks: 120, cleanBlocks: 50, forkPauseMs: 30_000, startPauseMs: 30_000, sweepEveryMs: 60_000 },
  permissionDelayMs: 30_000,
  idleEveryMs: 10_000,
  directoryRetryMs: 600_000,
  tidyEveryMs: 5_000,
  dropAfterMs: 120_000,
  directory: { claimMs: 3_600_000, maxTallySize: 1_000_000 },
  postponeMs: 15_000,
};

/**
 * Opens a write side of the shared store; any number of processes may, at once. Creates the index templates and indices that
 * are missing. Rejects with
 * - `STORE_UNAVAILABLE` when the cluster cannot be reached;
 * - `ACCESS_REFUSED`, `CERTIFICATE_REFUSED`, `STORE_REFUSED` when the configuration or the cluster has to change first;
 * - `STORE_FORMAT_MISMATCH` when another format version wrote the indices.
 */
export async function openElasticsearchStoreWriter(
  options: ElasticsearchWriterOptions,
  delays: ElasticsearchDelays = DELAYS,
): Promise<StoreWriter> {
  const client = createClient(options);
  try {
    return await openWriter(client, new IndexNames(options.indexPrefix), options, delays);
  } catch (error) {
    await client.close();
    throw error;
  }
}

/**
 * Opens the shared store for repairs; any number of processes may write meanwhile. Ends what a repair that was killed has begun.
 * Rejects as `openElasticsearchStoreWriter`, and with `STORE_UNAVAILABLE` when the store is empty. `restoreAfterMs`: see
 * `BlockRepairParts`.
 */
export async function openElasticsearchStoreRepairer(
  options: ElasticsearchOptions,
  restoreAfterMs = READABLE_FOR_MS,
): Promise<StoreRepairer> {
  const client = createClient(options);
  try {
    const names = new IndexNames(options.indexPrefix);
    const progress = new ProgressStore(client, names);
    const read = await progress.read();
    if (!read) throw new HistoryError('STORE_UNAVAILABLE', 'the store is empty');
    await progress.raiseFormat();
    const { replicas, catchUpReplicas = replicas, bulkBytes, bulkConcurrency } = options;
    const searcher = new Searcher(client, options.requestTimeoutSeconds);
    const bulk = new BulkWriter(client, bulkConcurrency);
    const documents = new BranchDocuments(client, names, searcher, bulk);
    const layout = layoutOf(read.progress);
    const indices = new IndexProvisioner(client, names, { replicas, catchUpReplicas, layout });
    const abis = new CommittedAbis(names, searcher);
    const dataAbis = (fields: readonly string[]): DataAbis => new DataAbis(abis, new DataFields(fields), 0);
    const fences = writeFencesOf(client, names);
    const terms = new WriteTerms(progress, fences);
    const plans = new MigrationPlans(client, names);
    const common = { names, progress, plans, searcher, bulk, bulkBytes, abis, indices, terms };
    const staleData = new StaleDataRepair(common);
    // A repair that was killed may have left rewrites that it began and data to decode.
    await endRewrites(progress, terms);
    await staleData.decodeAll();
    const fence = fences.irreversible;
    return new BlockRepair({ ...common, client, documents, dataAbis, staleData, fence, restoreAfterMs });
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Ends the rewrites of earlier repairs, whose documents are rejected from now on. One that goes on begins anew. */
async function endRewrites(progress: ProgressStore, terms: WriteTerms): Promise<void> {
  const { rewriting } = (await progress.require()).progress;
  if (!rewriting) return;
  await terms.beginNew();
  await progress.endRewrites(rewriting);
}

/** Creates the templates, the indices and the progress that are missing. */
async function prepareStore(
  client: Client,
  names: IndexNames,
  { replicas, catchUpReplicas = replicas, blocksPerIndex, tiers = [], dataFields = [] }: ElasticsearchWriterOptions,
  progress: ProgressStore,
): Promise<{ indices: IndexProvisioner; fences: WriteFences; terms: WriteTerms }> {
  const parsedTiers = parseTiers(tiers);
  // Before anything of another format version is touched.
  const begun = await progress.read();
  const layout = layoutOf(begun?.progress);
  const indices = new IndexProvisioner(client, names, { replicas, catchUpReplicas, layout }, parsedTiers);
  await indices.prepare(begun?.progress);
  const fresh = { ...emptyProgress(blocksPerIndex), writer_fields: { keys: [...dataFields].sort() } };
  if (!begun) await progress.create({ ...fresh, store_id: randomUUID() });
  await progress.raiseFormat();
  const { progress: current } = (await progress.read()) ?? {};
  // The next start puts the templates of the layout that the store has now.
  if (layoutOf(current) !== layout) {
    throw new HistoryError('STORE_UNAVAILABLE', 'a process of an earlier version has begun the store meanwhile');
  }
  const fences = writeFencesOf(client, names);
  for (const blocks of ['reversible', 'irreversible'] as const) {
    await fences[blocks].prepare(async () => writeTermsOf((await progress.require()).progress)[blocks]);
  }
  const terms = new WriteTerms(progress, fences);
  await terms.indexBy(dataFields);
  return { indices, fences, terms };
}

async function openWriter(
  client: Client,
  names: IndexNames,
  options: ElasticsearchWriterOptions,
  delays: ElasticsearchDelays,
): Promise<ElasticsearchWriter> {
  const { bulkBytes, bulkConcurrency, retainBlocks, commitSeconds, actionsPerIndex } = options;
  const { idleEveryMs, directoryRetryMs, tidyEveryMs, dropAfterMs } = delays;
  const progress = new ProgressStore(client, names);
  const { indices, fences, terms } = await prepareStore(client, names, options, progress);
  const searcher = new Searcher(client, options.requestTimeoutSeconds);
  const bulk = new BulkWriter(client, bulkConcurrency);
  const journal = new Journal(client, names, searcher, bulk);
  const documents = new BranchDocuments(client, names, searcher, bulk);
  const permissions = new PermissionCleaner(names, searcher, bulk, delays.permissionDelayMs);
  const cleaner = new BranchCleaner({ progress, documents, fence: fences.reversible }, delays.cleaning);
  const directory = new DirectoryBuilder({ client, names, searcher, bulk, progress, indices }, delays.directory);
  const housekeeping = new Housekeeping(
    { journal, cleaner, permissions, indices, directory, names },
    {
      idleEveryMs,
      directoryRetryMs,
      tidyEveryMs,
      dropAfterMs: retainBlocks > 0 ? dropAfterMs : undefined,
      dropDirectoryAfterMs: dropAfterMs,
    },
  );
  const abis = new CommittedAbis(names, searcher);
  const committer = new Committer(
    { progress, journal, documents, cleaner, abis, terms },
    { retainBlocks, actionsPerIndex },
  );
  const commits = new CommitSchedule(committer, housekeeping, commitSeconds * 1000);
  const dataAbis = new DataAbis(abis, new DataFields(options.dataFields ?? []), delays.postponeMs);
  const blocks = new BlockWriter({ names, indices, fences, bulk, dataAbis }, bulkBytes);
  const positions = new BranchPositions(names, searcher);
  return new ElasticsearchWriter({ client, progress, positions, blocks, journal, commits, bulk });
}
