import { actionBytes } from '@antelope-history/store';
import type { BlockPosition } from '@antelope-history/schemas';
import { refreshIndices } from '../client/refresh';
import { rangeLast } from '../indices/block-ranges';
import type { ActionList } from '../indices/found-actions';
import type { MigrationPlan } from '../indices/migration-plan';
import { type ReadAction, readActions } from '../read/action-reader';
import { inSequences } from '../read/actions-scope';
import { type QueryState, historySearch } from '../read/query-state';
import type { BulkWriter } from '../write/bulk-writer';
import type { MissingFields } from './missing-fields';

/** Actions updated by one bulk request, and the most bytes of them that are held for it. */
const ACTIONS_AT_ONCE = 500;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

/** Actions that were updated, durably, and where the next ones begin. */
export interface UpdateStep {
  actions: number;
  nextBlock: number;
  nextSequence: number;
}

/**
 * Updates stored actions and makes the updates visible to searches. Rejects with `ConflictError` when one of them was changed
 * meanwhile; the same call then updates it in its new state.
 */
export class ActionUpdater {
  constructor(
    private readonly bulk: BulkWriter,
    private readonly missing: MissingFields,
  ) {}

  /**
   * Updates the actions of one index, that of the plan's next block, in steps of about `actionsPerStep`. Only blocks that no writer
   * changes any more are included.
   */
  async *updateIndex(
    state: QueryState,
    { next_block: first, next_sequence: start }: MigrationPlan,
    actionsPerStep: number,
  ): AsyncGenerator<UpdateStep> {
    const { names, progress } = state;
    const index = names.ranged('actions', first, progress);
    const last = Math.min(rangeLast(first, progress), progress.clean_up_to);
    await refreshIndices(state.searcher.client, index);
    const filters = [{ range: { block_num: { gte: first, lte: last } } }, ...inSequences({ start, end: Infinity })];
    const actions = readActions(state, { index, filters, order: 'asc', withVersion: true }, Infinity);
    const chunks = chunksOf(actions, Math.min(ACTIONS_AT_ONCE, actionsPerStep));
    let nextSequence = start;
    for (;;) {
      const updated = await this.update(chunks, state, actionsPerStep);
      if (!updated.last) break;
      const { blockNum: nextBlock, sequence } = updated.last.document;
      nextSequence = sequence + 1;
      yield { actions: updated.actions, nextBlock, nextSequence };
    }
    await refreshIndices(state.searcher.client, index);
    yield { actions: 0, nextBlock: last + 1, nextSequence };
  }

  /** Updates the actions of committed blocks, few enough for one search; returns their number. */
  async updateBlocks(state: QueryState, blocks: readonly BlockPosition[]): Promise<number> {
    const { names, progress } = state;
    const indices = new Set(blocks.map(({ num }) => names.ranged('actions', num, progress)));
    await refreshIndices(state.searcher.client, [...indices]);
    const list: ActionList = {
      ...historySearch(state, 'actions'),
      filters: [{ terms: { block: blocks.map(({ id }) => id) } }],
      order: 'asc',
      withVersion: true,
    };
    const chunks = chunksOf(readActions(state, list, Infinity), ACTIONS_AT_ONCE);
    const { actions } = await this.update(chunks, state, Infinity);
    await refreshIndices(state.searcher.client, [...indices]);
    return actions;
  }

  /** Updates chunks until they have `limit` actions; resolves when all updates are durable. */
  private async update(
    chunks: AsyncGenerator<ReadAction[]>,
    state: QueryState,
    limit: number,
  ): Promise<{ actions: number; last: ReadAction | undefined }> {
    const { missing } = this;
    const updated: { actions: number; last: ReadAction | undefined } = { actions: 0, last: undefined };
    async function* requests() {
      while (updated.actions < limit) {
        const chunk = await chunks.next();
        if (chunk.done) return;
        const request = await missing.updatesOf(chunk.value, state);
        updated.actions += chunk.value.length;
        updated.last = chunk.value.at(-1);
        if (request.count > 0) yield request;
      }
    }
    await this.bulk.write(requests());
    return updated;
  }
}

async function* chunksOf(actions: AsyncIterable<ReadAction>, most: number): AsyncGenerator<ReadAction[]> {
  let chunk: ReadAction[] = [];
  let bytes = 0;
  for await (const action of actions) {
    chunk.push(action);
    bytes += actionBytes(action.row);
    if (chunk.length < most && bytes < BYTES_AT_ONCE) continue;
    yield chunk;
    [chunk, bytes] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}
