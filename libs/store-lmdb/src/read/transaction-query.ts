import type { ActionRecord } from '@antelope-history/records';
import type { ChainStatus, StoredBlockTransaction, TransactionLookup } from '@antelope-history/store';
import type { BlockIndexEntry } from '../format/block-index';
import { readBlockIndex } from '../format/chain-facts';
import { damagedValue } from '../format/damage';
import { ID_PREFIX_BYTES, readSequence, transactionKey } from '../format/keys';
import { keysWithPrefix, type Snapshot, type Tables } from '../format/tables';
import { type LocatedTransaction, PageReader } from './page-reader';
import { readStoredBlock } from './stored-block';

const ID_DIGITS = 64;

/** Finds a transaction and reads it. Yields the steps that a long read took since the last time. */
export function* queryTransaction(
  tables: Tables,
  { idPrefix, blockNumHint }: { idPrefix: string; blockNumHint: number | undefined },
  status: ChainStatus,
  snapshot: Snapshot,
): Generator<number, TransactionLookup> {
  const pages = new PageReader(tables, snapshot);
  const hinted = transactionAtHint(tables, idPrefix, blockNumHint, pages, snapshot);
  const matches = hinted ? [hinted] : yield* transactionsWithPrefix(tables, idPrefix, pages, snapshot);
  const [located, ...others] = matches;
  if (!located) return { found: 'none', status };
  if (others.length > 0) return { found: 'several', status };
  const { facts, record } = located;
  const { transactionId: id, ...place } = facts;
  const block = readStoredBlock(tables, place.blockNum, readBlockIndex(tables, place.blockNum, snapshot), snapshot);
  const transaction = {
    id,
    ...place,
    block: block?.block ?? Buffer.alloc(0),
    receiptIndex: record.receiptIndex,
    record,
    actions: yield* actionsOf(located, pages),
  };
  return { found: 'one', status, transaction };
}

/** The transaction with a whole id in the hinted block. */
function transactionAtHint(
  tables: Tables,
  id: string,
  blockNum: number | undefined,
  pages: PageReader,
  snapshot: Snapshot,
): LocatedTransaction | undefined {
  const block = id.length === ID_DIGITS && blockNum !== undefined && readBlockIndex(tables, blockNum, snapshot);
  if (!block) return undefined;
  const bytes = Buffer.from(id, 'hex');
  const start = transactionKey(bytes, block.firstSequence);
  const end = transactionKey(bytes, block.endSequence);
  for (const key of tables.transactions.getKeys({ start, end, transaction: snapshot })) {
    const located = pages.transactionAt(readSequence(key, ID_PREFIX_BYTES));
    if (located?.facts.transactionId === id) return located;
  }
  return undefined;
}

/**
 * The transactions whose id begins with the prefix, at most two: a third would not change the result. Of a whole id, the earliest: a
 * contract can schedule any number of equal deferred transactions.
 */
function* transactionsWithPrefix(
  tables: Tables,
  idPrefix: string,
  pages: PageReader,
  snapshot: Snapshot,
): Generator<number, LocatedTransaction[]> {
  const wholeBytes = Math.min(idPrefix.length >> 1, ID_PREFIX_BYTES);
  const most = idPrefix.length === ID_DIGITS ? 1 : 2;
  const matches: LocatedTransaction[] = [];
  const start = Buffer.from(idPrefix.slice(0, wholeBytes * 2), 'hex');
  for (const key of keysWithPrefix<Buffer>(tables.transactions, start, snapshot)) {
    if (!mayBegin(key, idPrefix)) continue;
    const located = pages.transactionAt(readSequence(key, ID_PREFIX_BYTES));
    const steps = pages.takeDueSteps();
    if (steps > 0) yield steps;
    const id = located?.facts.transactionId;
    if (!located || !id?.startsWith(idPrefix) || matches.some(({ facts }) => facts.transactionId === id)) continue;
    matches.push(located);
    if (matches.length === most) break;
  }
  return matches;
}

/** All actions of a transaction. */
function* actionsOf(located: LocatedTransaction, pages: PageReader): Generator<number, ActionRecord[]> {
  const actions: ActionRecord[] = [];
  for (const part of pages.partsOf(located)) {
    for (const paged of part.actions) actions.push(pages.decode(part, paged));
    const steps = pages.takeDueSteps();
    if (steps > 0) yield steps;
  }
  return actions;
}

/** The transactions of a block with all their actions. Yields the steps that a long read took since the last time. */
export function* transactionsOfBlock(
  tables: Tables,
  entry: BlockIndexEntry,
  snapshot: Snapshot,
): Generator<number, StoredBlockTransaction[]> {
  const pages = new PageReader(tables, snapshot);
  const transactions: StoredBlockTransaction[] = [];
  for (const page of pages.within({ start: entry.firstSequence, end: entry.endSequence })) {
    if (page.blockId !== entry.id) throw damagedValue(`a page of block ${entry.id}`);
    for (const part of page.transactions) {
      const actions = part.actions.map((action) => pages.decode(part, action));
      if (part.continued) transactions.at(-1)?.actions.push(...actions);
      else transactions.push({ record: part.record, actions });
    }
    const steps = pages.takeDueSteps();
    if (steps > 0) yield steps;
  }
  return transactions;
}

/** Whether the id in a key can begin with the prefix: the key holds only the id's first bytes. */
function mayBegin(key: Buffer, idPrefix: string): boolean {
  const known = key.toString('hex', 0, ID_PREFIX_BYTES);
  return known.startsWith(idPrefix.slice(0, known.length));
}
