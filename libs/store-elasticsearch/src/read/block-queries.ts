import type { BlockSelector, StoredBlock, StoredBlockTransaction } from '@antelope-history/store';
import { incomplete, type Query } from '../client/search';
import type { ProgressDocument } from '../indices/documents';
import { findRecords } from '../indices/found-actions';
import { bodyOf, FETCH_BODY, type FoundBody, type FoundRecord } from '../indices/hits';
import { layoutOf } from '../indices/progress';
import { transactionsWith } from './block-transactions';
import { historyBlocks, onBranch, within } from './branch-filter';
import type { QueryState } from './query-state';

/** A block of the committed branch and the filters for its documents. */
interface LocatedBlock {
  num: number;
  filters: Query[];
  /** False for a selection by id, which may be of an orphaned block. */
  mustExist: boolean;
}

export async function findBlock(state: QueryState, selector: BlockSelector): Promise<StoredBlock | undefined> {
  const located = locateBlock(state.progress, selector);
  const body = located && (await readBody(state, located));
  return body && storedBlockOf(body);
}

/** A block and its transactions; the block is undefined when there is none. */
export async function findBlockTraces(
  state: QueryState,
  selector: BlockSelector,
): Promise<{ block: StoredBlock | undefined; transactions: StoredBlockTransaction[] }> {
  const nothing = { block: undefined, transactions: [] };
  const located = locateBlock(state.progress, selector);
  if (!located) return nothing;
  const [body, records] = await Promise.all([readBody(state, located), readRecords(state, located)]);
  const block = body && storedBlockOf(body);
  if (!block) return nothing;
  return { block, transactions: transactionsWith(records, body.transactions()) };
}

/** Undefined when the block is not in the history. */
function locateBlock(progress: ProgressDocument, selector: BlockSelector): LocatedBlock | undefined {
  const history = historyBlocks(progress);
  const num = blockNumOf(selector, progress);
  const range = history && num !== undefined && within({ first: num, last: num }, history);
  if (!range) return undefined;
  const byId: Query[] = typeof selector === 'object' && 'id' in selector ? [{ term: { block: selector.id } }] : [];
  return { num: range.first, filters: [...byId, onBranch(progress, range)], mustExist: byId.length === 0 };
}

/** A block's id begins with its number (nodeos block_header.cpp, calculate_id). */
function blockNumOf(selector: BlockSelector, progress: ProgressDocument): number | undefined {
  if (selector === 'latest') return progress.committed?.num;
  return 'num' in selector ? selector.num : parseInt(selector.id.slice(0, 8), 16);
}

async function readBody(
  { searcher, names, progress }: QueryState,
  { num, filters, mustExist }: LocatedBlock,
): Promise<FoundBody | undefined> {
  const index = names.ranged('bodies', num, progress);
  const { hits } = await searcher.search({ index, filters, size: 1, fetch: FETCH_BODY });
  if (!hits[0] && mustExist) throw incomplete(`committed block ${num} is missing`);
  return hits[0] && bodyOf(hits[0]);
}

/** The records of all actions of a block, ascending. */
async function readRecords(
  { searcher, names, progress }: QueryState,
  { num, filters }: LocatedBlock,
): Promise<FoundRecord[]> {
  const index = names.ranged('actions', num, progress);
  const records: FoundRecord[] = [];
  for await (const chunk of findRecords(searcher, layoutOf(progress), { index, filters, order: 'asc' })) {
    for (const record of chunk) records.push(record);
  }
  return records;
}

function storedBlockOf(body: FoundBody): StoredBlock | undefined {
  const { blockNum: num, block: id, packedBlock, generation, hasTraces, actionRoot } = body;
  if (!packedBlock) return undefined;
  return {
    position: { num, id },
    block: packedBlock,
    generation,
    hasTraces,
    actionRoot,
    rootSequences: body.rootSequences(),
  };
}
