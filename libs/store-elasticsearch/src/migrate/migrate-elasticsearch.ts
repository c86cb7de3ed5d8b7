import { type BlockPosition, hasErrorCode, HistoryError } from '@antelope-history/schemas';
import { type MigrationControl, NOTHING_MISSING, type StoreMigration } from '@antelope-history/store';
import { withClient } from '../client/client';
import type { ElasticsearchWriterOptions } from '../client/elasticsearch-options';
import { Searcher } from '../client/search';
import { ProgressStore } from '../commit/progress-store';
import { WriteTerms } from '../commit/write-terms';
import { rangeLast } from '../indices/block-ranges';
import type { ProgressDocument } from '../indices/documents';
import { IndexNames } from '../indices/index-names';
import { type MigrationPlan, MigrationPlans } from '../indices/migration-plan';
import { layoutOf, type ReadProgress } from '../indices/progress';
import { QueryCaches } from '../read/query-caches';
import type { QueryState } from '../read/query-state';
import { BulkWriter, ConflictError } from '../write/bulk-writer';
import { IndexProvisioner } from '../write/index-provisioner';
import { writeFencesOf } from '../write/write-fence';
import { ActionUpdater } from './action-updater';
import { MissingFields } from './missing-fields';
import { planOf } from './plan-of';

export interface ElasticsearchMigrationOptions extends ElasticsearchWriterOptions, MigrationControl {
  /** Actions per step. */
  actionsPerStep?: number;
}

const ACTIONS_PER_STEP = 20_000;
/** Reversible blocks per step. */
const BLOCKS_AT_ONCE = 100;
/** Each one more means that a block was committed within the time of a few requests. */
const MAX_TRIES = 200;

/**
 * Adds to the actions of a store of an earlier version, or of another `index.data_fields`, what they lack. Queries use it from
 * the last step on, when all committed actions have it. Indexers of this version may write meanwhile, those of an earlier one may
 * not. Rejects as `openElasticsearchStoreWriter`, with `STORE_UNAVAILABLE` when it can go on later, with `STORE_IN_USE` when
 * blocks are committed faster than it follows, and with `STOPPED` when `signal` aborts before it begins.
 */
export async function migrateElasticsearch(options: ElasticsearchMigrationOptions): Promise<StoreMigration> {
  return withClient(
    options,
    async (client) => {
      const names = new IndexNames(options.indexPrefix);
      const { replicas, catchUpReplicas = replicas, bulkConcurrency, requestTimeoutSeconds } = options;
      const progress = new ProgressStore(client, names);
      const plans = new MigrationPlans(client, names);
      const read = await progress.read();
      const plan = read && planOf(read.progress, options.dataFields ?? [], await plans.read());
      if (!plan) return NOTHING_MISSING;
      const layout = layoutOf(read.progress);
      // A writer by other fields that is suspended until later would take the added ones off again.
      const terms = new WriteTerms(progress, writeFencesOf(client, names));
      await terms.indexBy(options.dataFields ?? []);
      // Before an action is updated: from here on, a repair writes the values of the fields, too.
      await plans.write(plan);
      // A repair that was suspended before would replace actions by those without the fields.
      await terms.beginNew();
      await new IndexProvisioner(client, names, { replicas, catchUpReplicas, layout }).mapActionFields();
      const updater = new ActionUpdater(new BulkWriter(client, bulkConcurrency), new MissingFields(plan));
      const searcher = new Searcher(client, requestTimeoutSeconds);
      return new Migration({ names, searcher, progress, terms, plans, updater }, plan, options).run();
    },
    options.signal,
  );
}

interface MigrationParts {
  names: IndexNames;
  searcher: Searcher;
  progress: ProgressStore;
  terms: WriteTerms;
  plans: MigrationPlans;
  updater: ActionUpdater;
}

class Migration {
  private actions = 0;
  /** Positions of traces stay unavailable then, see `planOf`. */
  private hasRemovedBlocks = false;

  constructor(
    private readonly parts: MigrationParts,
    private readonly plan: MigrationPlan,
    private readonly options: ElasticsearchMigrationOptions,
  ) {}

  async run(): Promise<StoreMigration> {
    const { traces, fields } = this.plan;
    const isComplete = await this.addAllOrStop();
    if (isComplete) await this.parts.plans.remove();
    return { traces: traces && !this.hasRemovedBlocks, fields: [...fields], actions: this.actions, isComplete };
  }

  /** False when `signal` ended it, also in the middle of a step, which the next run repeats. */
  private async addAllOrStop(): Promise<boolean> {
    try {
      return await this.addAll();
    } catch (error) {
      if (!this.options.signal.aborted || !hasErrorCode(error, 'STOPPED')) throw error;
      return false;
    }
  }

  /** False when `signal` ended it. */
  private async addAll(): Promise<boolean> {
    const done = new Set<string>();
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (!(await this.addClean())) return false;
      // That may have taken hours: since then, blocks became clean and old ones were removed.
      const read = await this.current();
      const { progress } = read;
      if (this.lacksClean(progress)) continue;
      const blocks = progress.branch.filter(({ num, id }) => num > progress.clean_up_to && !done.has(id));
      if (!(await this.addReversible(blocks, read))) return false;
      for (const { id } of blocks) done.add(id);
      if (await this.takeIntoUse(read)) return true;
    }
    throw new HistoryError(
      'STORE_IN_USE',
      'the indexers commit blocks faster than the migration follows: run it again when they have caught up',
    );
  }

  /** Adds to the blocks that no writer changes any more; false when `signal` ended it. */
  private async addClean(): Promise<boolean> {
    const { progress } = await this.current();
    while (this.lacksClean(progress)) if (!(await againOnConflict(() => this.addNextIndex()))) return false;
    return true;
  }

  private lacksClean({ first_block_num: firstBlock = 0, clean_up_to: cleanUpTo }: ProgressDocument): boolean {
    return Math.max(this.plan.next_block, firstBlock) <= cleanUpTo;
  }

  /** Adds to the blocks of one index that no writer changes any more; false when `signal` ended it. */
  private async addNextIndex(): Promise<boolean> {
    const read = await this.current();
    const { first_block_num: firstBlock = 0 } = read.progress;
    // Blocks may be removed meanwhile.
    const plan = { ...this.plan, next_block: Math.max(this.plan.next_block, firstBlock) };
    try {
      return await this.addIndex(plan, read);
    } catch (error) {
      if (!(await this.isRemoved(plan.next_block))) throw error;
      return true;
    }
  }

  private async addIndex(plan: MigrationPlan, read: ReadProgress): Promise<boolean> {
    const perStep = this.options.actionsPerStep ?? ACTIONS_PER_STEP;
    for await (const step of this.parts.updater.updateIndex(this.stateOf(read), plan, perStep)) {
      this.actions += step.actions;
      this.plan.next_block = step.nextBlock;
      this.plan.next_sequence = step.nextSequence;
      await this.parts.plans.write(this.plan);
      this.report(step.nextBlock, read);
      if (this.options.signal.aborted) return false;
    }
    return true;
  }

  /** Whether the range of a block is no longer part of the history: its indices are being deleted. */
  private async isRemoved(blockNum: number): Promise<boolean> {
    const { progress } = await this.parts.progress.require();
    return rangeLast(blockNum, progress) < (progress.first_block_num ?? 0);
  }

  /** Adds to blocks that a fork can replace, or that a writer can write again; false when `signal` ended it. */
  private async addReversible(blocks: readonly BlockPosition[], read: ReadProgress): Promise<boolean> {
    const state = this.stateOf(read);
    for (let from = 0; from < blocks.length; from += BLOCKS_AT_ONCE) {
      const some = blocks.slice(from, from + BLOCKS_AT_ONCE);
      this.actions += await againOnConflict(() => this.parts.updater.updateBlocks(state, some));
      this.report(some.at(-1)?.num ?? 0, read);
      if (this.options.signal.aborted) return false;
    }
    return true;
  }

  /**
   * The newest progress, whose blocks may be updated: all writers that do not know that they are committed index the fields, too.
   * Rejects with `STORE_IN_USE` when others have begun.
   */
  private async current(): Promise<ReadProgress> {
    const read = await this.parts.terms.settled();
    const { keys = [] } = read.progress.writer_fields ?? {};
    if (this.plan.fields.every((key) => keys.includes(key))) return read;
    throw new HistoryError(
      'STORE_IN_USE',
      `a process has begun to index other data fields (${keys.join(', ') || 'none'}): ` +
        'give the indexers and the migration the same index.data_fields, and run it again',
    );
  }

  private report(block: number, { progress: { first_block_num: firstBlock = 0, committed } }: ReadProgress): void {
    this.options.onProgress?.({ firstBlock, block, lastBlock: committed?.num ?? block, actions: this.actions });
  }

  /**
   * Lets queries use what was added; false when blocks were committed since the progress was read. Rejects when the plan is gone: others
   * may have written actions without the fields since. One that replaces the plan later changes the progress first (`beginNew`).
   */
  private async takeIntoUse(read: ReadProgress): Promise<boolean> {
    const { traces, fields } = this.plan;
    await this.parts.plans.assertOwn();
    const { progress } = read;
    this.hasRemovedBlocks = progress.has_removed_blocks === true;
    const added = Object.fromEntries(fields.map((key) => [key, progress.first_block_num ?? 0]));
    return this.parts.progress.replace(read, {
      ...progress,
      ...(traces && !this.hasRemovedBlocks && { counts_traces: true }),
      // The directory counts the traces that the actions had before.
      ...(traces && { rewrites: (progress.rewrites ?? 0) + 1 }),
      data_fields: { ...progress.data_fields, ...added },
    });
  }

  private stateOf({ progress }: ReadProgress): QueryState {
    const { searcher, names } = this.parts;
    return { searcher, names, progress, caches: new QueryCaches() };
  }
}

/** Repeats what was refused because a repair, a fork or a writer changed an action meanwhile. */
async function againOnConflict<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ConflictError) || tries === MAX_TRIES) throw error;
    }
  }
}
