import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import { parseDataField } from '@antelope-history/data-fields';
import type { BlockRecords } from '@antelope-history/records';
import type { AccountTracesQuery, PositionRange } from '../account-traces';
import type { AbiRequest, ChainStatus, StoredAction, StoredBlock } from '../stored';
import type {
  AccountsLookup,
  ActionsQuery,
  BlockSelector,
  DataCondition,
  HistoryReader,
  Progress,
} from '../history-store';
import { sampleQueries } from './actions-queries';
import { differingParts } from './differing-parts';
import { EVERY_ACTION } from './every-action';
import type { ModelHistory } from './model-history';
import { sequenceOf, storedActionsOf } from './model-rows';

const NEWEST_ACTIONS: ActionsQuery = { ...EVERY_ACTION, order: 'desc', limit: 10_000 };

const MAX_CHILDREN = 10;
const MAX_PAIRS = 10;
const NO_VALUE = 'nobody.here';
/** A longer list takes long to read twice more. */
const MAX_LIMITED = 1_000;

/** Sends the same queries to an adapter and the model, and fails where the results differ. */
export class Comparison {
  /** The number of queries compared; a run that compared none has tested nothing. */
  asked = 0;

  constructor(
    private readonly store: HistoryReader,
    private readonly model: ModelHistory,
  ) {}

  async status(): Promise<void> {
    await this.same((history) => history.getStatus());
  }

  async actions(query: ActionsQuery): Promise<void> {
    await this.same((history) => history.getActions(query), query);
  }

  async sampledActions(count: number, seed: number): Promise<void> {
    const queries = sampleQueries(this.model, count, seed);
    for (const [index, query] of queries.entries()) {
      await this.actions(query);
      if (query.account === undefined) continue;
      if (index % 2 === 0) await this.tracesOf(query.account, query);
      else await this.tracesOf(query.account, query, { order: query.order, conditions: query });
    }
  }

  /** All actions by every value of every data field that `model` has. */
  async everyDataValue(model = this.model): Promise<void> {
    for (const condition of conditionsOf(model)) await this.actions({ ...NEWEST_ACTIONS, data: [condition] });
  }

  /** Actions that have two values at once: few have any two. */
  async dataPairs(): Promise<void> {
    const conditions = conditionsOf(this.model);
    for (const [index, second] of conditions.slice(1, 1 + MAX_PAIRS).entries()) {
      const first = conditions[index];
      if (first) await this.actions({ ...NEWEST_ACTIONS, data: [first, second] });
    }
  }

  /** Children of traces by values that they have, and by one that none has. */
  async childrenByData(): Promise<void> {
    const rows = this.model.historyBlocks.flatMap(storedActionsOf);
    const children = rows.filter(
      (row) => row.action.traces[0]?.creatorOrdinal !== 0 && this.model.dataOf(row).size > 0,
    );
    for (const child of children.slice(0, MAX_CHILDREN)) {
      const sequence = creatorOf(child, rows);
      for (const [key, text] of this.model.dataOf(child)) {
        const field = parseDataField(key);
        if (!field || sequence === undefined) continue;
        for (const each of [text, NO_VALUE]) {
          await this.actions({ ...NEWEST_ACTIONS, parent: { sequence }, data: [{ fields: [field], text: each }] });
        }
      }
    }
  }

  /** The traces of an account from a position on, or the newest ones. */
  async tracesOf(
    account: string,
    { skip, limit, window }: Pick<ActionsQuery, 'skip' | 'limit' | 'window'>,
    { order, conditions }: Pick<AccountTracesQuery, 'order' | 'conditions'> = {},
  ): Promise<void> {
    const select = (count: number): PositionRange => {
      const first = window === 'newest' ? count - limit : skip;
      return { first, last: first + limit - 1 };
    };
    const query = { account, skip, limit, window, order, conditions };
    await this.same((history) => history.getAccountTraces({ account, select, order, conditions }), query);
  }

  async transaction(idPrefix: string, blockNumHint?: number): Promise<void> {
    await this.same((history) => history.getTransaction(idPrefix, blockNumHint), { idPrefix, blockNumHint });
  }

  async block(selector: BlockSelector): Promise<void> {
    await this.same(async (history) => this.placed(await history.getBlock(selector)), selector);
    await this.same(async (history) => this.placed(await history.getBlockTraces(selector)), selector);
  }

  /** The ABI in force before, at and after each action of the blocks, for its contract. */
  async abisOf(blocks: readonly BlockRecords[]): Promise<void> {
    const requests = blocks.flatMap((block) =>
      storedActionsOf(block).flatMap((row): AbiRequest[] => {
        const { account } = row.action;
        const sequence = sequenceOf(row);
        const at = [0, 1, sequence, sequence + 1];
        return at.map((each) => ({ account, blockNum: row.blockNum, sequence: each }));
      }),
    );
    for (let start = 0; start < requests.length; start += 500) await this.abis(requests.slice(start, start + 500));
  }

  async abis(requests: AbiRequest[]): Promise<void> {
    this.asked += requests.length;
    const actual = await this.store.getAbis(requests, () => false, Infinity);
    const expected = await this.model.getAbis(requests, () => false);
    expectSame(
      actual.versions.map((version) => version?.bytes),
      expected.versions.map((version) => version?.bytes),
      requests,
    );
    const bytesOf = new Map(actual.versions.flatMap((version) => (version ? [[version.id, version.bytes]] : [])));
    expect(new Set([...bytesOf.values()].map((bytes) => bytes?.toString('hex'))).size).toBe(bytesOf.size);
    const known = await this.store.getAbis(requests, (id) => bytesOf.has(id), Infinity);
    const withoutBytes = actual.versions.map((version) => version && { id: version.id, bytes: undefined });
    expectSame(known.versions, withoutBytes, requests);
    // A limit one byte above the first version's size admits the second version and no other.
    const ids = [...bytesOf.keys()];
    const limit = (bytesOf.get(ids[0] ?? '')?.length ?? 0) + 1;
    const limited = await this.store.getAbis(requests, () => false, limit);
    const given = new Set(limited.versions.flatMap((version) => (version?.bytes ? [version.id] : [])));
    expect([...given]).toEqual(ids.slice(0, 2));
  }

  async account(name: string): Promise<void> {
    await this.same((history) => history.hasAccount(name), name);
  }

  async keyAccounts(key: Buffer): Promise<void> {
    await this.same((history) => history.getKeyAccounts(key), key.toString('hex'));
    await this.limited((history, most) => history.getKeyAccounts(key, most));
  }

  async controlledAccounts(actor: string): Promise<void> {
    await this.same((history) => history.getControlledAccounts(actor), actor);
    await this.limited((history, most) => history.getControlledAccounts(actor, most));
  }

  /** A list of accounts is whole, or refused: of as many as there are, and of one less. */
  private async limited(
    read: (history: HistoryReader, maxAccounts?: number) => Promise<AccountsLookup>,
  ): Promise<void> {
    const { accounts } = await read(this.model);
    if (accounts.length < 2 || accounts.length > MAX_LIMITED) return;
    expectSame((await read(this.store, accounts.length)).accounts, accounts, 'as many accounts as there are');
    await expect(read(this.store, accounts.length - 1)).rejects.toMatchObject({ code: 'TOO_MANY_ACCOUNTS' });
  }

  /** Every owner, key and actor that a permission of these blocks ever named, whether it still does or not. */
  async permissionsOf(blocks: readonly BlockRecords[]): Promise<void> {
    const authorities = blocks.flatMap(({ permissionChanges }) =>
      permissionChanges.flatMap(({ authority }) => authority ?? []),
    );
    const keys = new Set(authorities.flatMap((authority) => authority.keys.map((key) => key.toString('hex'))));
    const actors = new Set(authorities.flatMap((authority) => authority.actors));
    const owners = blocks.flatMap(({ permissionChanges }) => permissionChanges.map(({ owner }) => owner));
    for (const owner of new Set(owners)) await this.account(owner);
    for (const key of keys) await this.keyAccounts(Buffer.from(key, 'hex'));
    for (const actor of actors) await this.controlledAccounts(actor);
  }

  async progress(writer: { getProgress(): Promise<Progress> }): Promise<void> {
    this.asked++;
    const [actual, expected] = await Promise.all([writer.getProgress(), this.model.getProgress()]);
    // The model does not know the sequences of messages.
    expectSame(withoutIdentity({ ...actual, sequence: 0 }), withoutIdentity(expected), 'progress');
  }

  private async same<T>(ask: (history: HistoryReader) => Promise<T>, about?: unknown): Promise<void> {
    this.asked++;
    const [actual, expected] = await Promise.all([ask(this.store), ask(this.model)]);
    expectSame(withoutIdentity(actual), withoutIdentity(expected), about);
  }

  /** All sequences below a block's first action are equivalent: each means "before the block". */
  private placed<T extends { block: StoredBlock | undefined }>(result: T): T {
    const { block } = result;
    if (!block) return result;
    const records = this.model.committedBlocks.find(({ position }) => position.id === block.position.id);
    const first = records?.transactions[0]?.firstSequence ?? Infinity;
    const rootSequences = block.rootSequences.map((sequences) =>
      sequences.map((sequence) => (sequence < first ? 0 : sequence)),
    );
    return { ...result, block: { ...block, rootSequences } };
  }
}

/** A condition for every value of every data field that the model has. */
function conditionsOf(model: ModelHistory): DataCondition[] {
  const rows = model.historyBlocks.flatMap(storedActionsOf);
  const values = new Set(rows.flatMap((row) => [...model.dataOf(row)].map((entry) => JSON.stringify(entry))));
  return [...values].flatMap((value) => {
    const [key = '', text = ''] = JSON.parse(value) as string[];
    const field = parseDataField(key);
    return field ? [{ fields: [field], text }] : [];
  });
}

/** How revisions count is up to the adapter, and each store has an id of its own; tests of forks and of the writer check them. */
function withoutIdentity<T>(result: T): T {
  if (typeof result !== 'object' || result === null) return result;
  if ('status' in result) return { ...result, status: withoutIdentity(result.status as ChainStatus) };
  return 'revision' in result ? { ...result, revision: 0, storeId: undefined } : result;
}

/** `about`: the query, for the message. */
function expectSame(actual: unknown, expected: unknown, about: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  try {
    const [actualParts, expectedParts] = differingParts(actual, expected);
    expect(actualParts).toEqual(expectedParts);
    // The parts are equal where the only differences are properties that are absent or undefined.
    expect(actual).toEqual(expected);
  } catch (error) {
    const difference = error instanceof Error ? error.message : String(error);
    throw new Error(`${JSON.stringify(about)}\n${difference}`);
  }
}

/** The global sequence of the trace that created an action. */
function creatorOf(
  { action, blockNum, transactionId }: StoredAction,
  rows: readonly StoredAction[],
): number | undefined {
  const ordinal = action.traces[0]?.creatorOrdinal;
  const siblings = rows.filter((row) => row.blockNum === blockNum && row.transactionId === transactionId);
  const traces = siblings.flatMap((row) => row.action.traces);
  return traces.find((trace) => trace.ordinal === ordinal)?.receipt.globalSequence;
}
