import type { TransactionHeader } from '@antelope-history/records';
import type { FoundTransaction, StoredTransaction } from '@antelope-history/store';
import type { FoundHit, Query } from '../client/search';
import { type BlockRange, rangeLast, type RangeLayout, rangeStart } from '../indices/block-ranges';
import { directoryBlocks } from '../indices/directory';
import { bodyOf, FETCH_BODY, type FoundBody } from '../indices/hits';
import { bodiesOfId, bodiesOfOtherIds } from '../indices/id-terms';
import type { SequenceRange } from '../indices/sequence-range';
import { assertWhole, readActions, type ReadAction } from './action-reader';
import { inSequences } from './actions-scope';
import { historyBlocks, onBranch, within } from './branch-filter';
import { placesOfTransaction, type TransactionPlace } from './directory-query';
import { rangesIn } from './range-groups';
import type { QueryState } from './query-state';

const ID_DIGITS = 64;
const NO_BLOCK = Buffer.alloc(0);

/**
 * Finds the one transaction whose id begins with the prefix of 8 to 64 lowercase hex digits. A whole id is searched in the hinted
 * block first.
 */
export async function findTransaction(
  state: QueryState,
  idPrefix: string,
  blockNumHint: number | undefined,
): Promise<FoundTransaction> {
  const hinted = await bodyAtHint(state, idPrefix, blockNumHint);
  const [atHint] = hinted ? recordsIn(hinted, idPrefix) : [];
  if (atHint) return { found: 'one', transaction: await readTransaction(state, atHint) };
  const { bodies, prefetched } = await findBodies(state, idPrefix, [bodiesOfId(idPrefix)]);
  const found = bodies.flatMap((body) => recordsIn(body, idPrefix));
  const [first] = found;
  if (!first) return { found: 'none' };
  const ids = new Set(found.map(({ id }) => id));
  if (ids.size > 1 || (await isInOthers(state, idPrefix, first.id, bodies.length))) return { found: 'several' };
  return { found: 'one', transaction: await readTransaction(state, first, prefetched) };
}

/** A transaction and the body that has it. */
interface FoundRecord {
  /** 64 hex digits. */
  id: string;
  record: TransactionHeader;
  body: FoundBody;
}

/** The transactions of a body whose ids begin with the prefix. */
function recordsIn(body: FoundBody, idPrefix: string): FoundRecord[] {
  return body.transactionsOf(idPrefix).map((record) => ({ id: record.id.toString('hex'), record, body }));
}

/** The body of the hinted block if it may have the transaction. One index is searched instead of those of the whole history. */
async function bodyAtHint(
  { searcher, names, progress }: QueryState,
  id: string,
  num: number | undefined,
): Promise<FoundBody | undefined> {
  const history = historyBlocks(progress);
  const block = history && num !== undefined && within({ first: num, last: num }, history);
  if (!block || id.length < ID_DIGITS) return undefined;
  const { hits } = await searcher.search({
    index: names.ranged('bodies', block.first, progress),
    filters: [bodiesOfId(id), onBranch(progress, block)],
    size: 1,
    fetch: FETCH_BODY,
  });
  return hits[0] && bodyOf(hits[0]);
}

/** Whether another id has the prefix: when two bodies have the same id, a third one may still have another. */
async function isInOthers(state: QueryState, idPrefix: string, id: string, bodies: number): Promise<boolean> {
  if (bodies < MAX_BODIES || idPrefix.length === ID_DIGITS) return false;
  return (await findBodies(state, idPrefix, [bodiesOfOtherIds(idPrefix, id)])).bodies.length > 0;
}

const MAX_BODIES = 2;

/**
 * The actions of the sequences that the directory names for a transaction. They are read at the same time as its body, which tells which of
 * them are its own.
 */
interface PrefetchedActions {
  range: number;
  sequences: SequenceRange;
  actions: ReadAction[];
}

/**
 * The bodies of the first blocks that match: in the ranges that may have the id, and in those that the directory does not cover.
 * `prefetched` is set when the directory has one place of the id.
 */
async function findBodies(
  state: QueryState,
  idPrefix: string,
  filters: Query[],
): Promise<{ bodies: FoundBody[]; prefetched: PrefetchedActions | undefined }> {
  const { progress } = state;
  const blocks = historyBlocks(progress);
  if (!blocks) return { bodies: [], prefetched: undefined };
  const covered = directoryBlocks(progress);
  const young = covered && within(blocks, { first: covered.last + 1, last: Infinity });
  const [places, ofYoung] = await Promise.all([
    covered ? placesOfTransaction(state, idPrefix) : undefined,
    young ? bodiesIn(state, rangesIn(young, state), filters) : [],
  ]);
  const old = places && rangesOf(places, progress);
  const [ofOld, prefetched] = await Promise.all([
    bodiesIn(state, old ?? rangesIn(covered ?? blocks, state), filters),
    places?.length === 1 ? prefetch(state, places[0] as TransactionPlace) : undefined,
  ]);
  return { bodies: [...ofOld, ...ofYoung].slice(0, MAX_BODIES).map(bodyOf), prefetched };
}

/** The ranges of places, ascending. */
function rangesOf(places: readonly TransactionPlace[], layout: RangeLayout): BlockRange[] {
  const starts = [...new Set(places.map(({ range }) => range))].sort((one, other) => one - other);
  return starts.map((first) => ({ first, last: rangeLast(first, layout) }));
}

async function prefetch(
  state: QueryState,
  { range, sequences }: TransactionPlace,
): Promise<PrefetchedActions | undefined> {
  const blocks = historyBlocks(state.progress);
  if (!blocks || !sequences) return undefined;
  const actions = await actionsIn(state, range, [onBranch(state.progress, blocks), ...inSequences(sequences)]);
  return { range, sequences, actions };
}

async function bodiesIn(
  { searcher, names, progress }: QueryState,
  ranges: readonly BlockRange[],
  filters: Query[],
): Promise<FoundHit[]> {
  const blocks = historyBlocks(progress);
  if (ranges.length === 0 || !blocks) return [];
  const { hits } = await searcher.search({
    index: ranges.map(({ first }) => names.ranged('bodies', first, progress)).join(),
    minIndices: ranges.length,
    filters: [...filters, onBranch(progress, blocks)],
    size: MAX_BODIES,
    sort: [{ block_num: 'asc' }],
    fetch: FETCH_BODY,
  });
  return hits;
}

async function readTransaction(
  state: QueryState,
  { id, record, body }: FoundRecord,
  prefetched?: PrefetchedActions,
): Promise<StoredTransaction> {
  const found = ownAmong(state, body, record, prefetched) ?? (await readActionsOf(state, body, record));
  const actions = found.map(({ row }) => row.action);
  assertWhole(record, actions);
  return {
    id,
    blockNum: body.blockNum,
    blockId: body.block,
    blockTimestamp: found[0]?.document.timestamp ?? 0,
    block: body.packedBlock ?? NO_BLOCK,
    receiptIndex: record.receiptIndex,
    record,
    actions,
  };
}

/** The transaction's actions among the prefetched ones; undefined when not all its sequences are among theirs. */
function ownAmong(
  { progress }: QueryState,
  body: FoundBody,
  { firstSequence, sequenceCount }: TransactionHeader,
  prefetched: PrefetchedActions | undefined,
): ReadAction[] | undefined {
  const end = firstSequence + sequenceCount;
  if (!prefetched || prefetched.range !== rangeStart(body.blockNum, progress)) return undefined;
  if (firstSequence < prefetched.sequences.start || end > prefetched.sequences.end) return undefined;
  return prefetched.actions.filter(
    ({ document }) => document.block === body.block && document.sequence >= firstSequence && document.sequence < end,
  );
}

function readActionsOf(
  state: QueryState,
  body: FoundBody,
  { firstSequence, sequenceCount }: TransactionHeader,
): Promise<ReadAction[]> {
  const sequences = { start: firstSequence, end: firstSequence + sequenceCount };
  return actionsIn(state, body.blockNum, [{ term: { block: body.block } }, ...inSequences(sequences)]);
}

/** The actions in the range of a block that match, ascending. */
async function actionsIn(state: QueryState, blockNum: number, filters: Query[]): Promise<ReadAction[]> {
  const { names, progress } = state;
  const index = names.ranged('actions', blockNum, progress);
  const actions: ReadAction[] = [];
  for await (const action of readActions(state, { index, filters, order: 'asc' }, Infinity)) {
    actions.push(action);
  }
  return actions;
}
