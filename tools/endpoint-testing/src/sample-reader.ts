import { createHash } from 'node:crypto';
import { blockTimestampToMs } from '@antelope-history/abi';
import { openSample, type SampleName } from '@antelope-history/test-support/recordings';
import {
  type ActionEntry,
  type ActionRecord,
  type Authority,
  type BlockRecords,
  decodeActionRecord,
  type TransactionRecord,
} from '@antelope-history/records';
import { deserializeBlock } from '@antelope-history/deserialize';
import {
  type AbiRequest,
  type AccountTracesPage,
  type AccountTracesQuery,
  type ActionsPage,
  type ActionsQuery,
  type BlockSelector,
  type Bound,
  type ChainStatus,
  type HistoryReader,
  type StoredAction,
  tooManyAccounts,
  type TraceConditions,
  tracesOfAccount,
} from '@antelope-history/store';
import { createShipProtocol } from '@antelope-history/ship';
import { storedBlockOf } from './recorded-chain';

interface Row extends StoredAction {
  entry: ActionEntry;
}

/** A store reader with a recorded chain in memory. It searches all blocks: slow, but simple enough to verify by reading. */
export class SampleReader implements HistoryReader {
  status: ChainStatus;
  private readonly blocks = new Map<number, BlockRecords>();
  private readonly rows: Row[];

  constructor(name: SampleName) {
    const { abi, messages } = openSample(name);
    const protocol = createShipProtocol(abi);
    for (const { bytes } of messages) {
      const result = protocol.readResult(bytes);
      if (result.kind !== 'blocks' || !result.blocks.thisBlock) throw new Error('a recorded message has no block');
      const records = deserializeBlock(result.blocks, protocol);
      for (let undone = records.position.num; this.blocks.delete(undone); undone++);
      this.blocks.set(records.position.num, records);
    }
    const all = [...this.blocks.values()];
    const [first, last] = [all.find(({ block }) => block), all.at(-1)];
    this.status = {
      chainId: undefined,
      firstBlockNum: first?.position.num,
      committed: last?.position,
      head: last?.head,
      lastIrreversible: last?.lastIrreversible,
      committedTimestamp: undefined,
      dataFields: {},
      revision: 1,
    };
    this.rows = all.flatMap((block) => block.transactions.flatMap((transaction) => rowsOf(block, transaction)));
    this.rows.sort((left, right) => left.entry.sequence - right.entry.sequence);
  }

  async getStatus() {
    return this.status;
  }

  async getActions(query: ActionsQuery): Promise<ActionsPage> {
    const matching = this.rows.filter((row) => matches(row, query));
    if (query.order === 'desc') matching.reverse();
    const newest = query.window === 'newest' && query.order === 'asc';
    const start = newest ? Math.max(0, matching.length - query.limit) : query.skip;
    const rows = matching.slice(start, start + query.limit);
    return { status: this.status, rows, more: start + rows.length < matching.length };
  }

  async getAccountTraces({ account, select, order, conditions }: AccountTracesQuery): Promise<AccountTracesPage> {
    const traces = [...this.blocks.values()].flatMap((block) =>
      block.transactions.flatMap((transaction) =>
        rowsOf(block, transaction)
          .flatMap((row) => tracesOfAccount(row, account).map((trace) => ({ ...row, trace })))
          .sort((left, right) => left.trace.ordinal - right.trace.ordinal),
      ),
    );
    const { first, last } = select(traces.length, 0);
    const rows = traces
      .map((row, position) => ({ ...row, position }))
      .filter((row) => row.position >= first && row.position <= last && (!conditions || matches(row, conditions)));
    return { status: this.status, rows: order === 'desc' ? rows.reverse() : rows, more: false };
  }

  async getTransaction(idPrefix: string) {
    const { status } = this;
    const found = [...this.blocks.values()].flatMap((block) =>
      block.transactions
        .filter(({ id }) => id.toString('hex').startsWith(idPrefix))
        .map((transaction) => ({ block, transaction })),
    );
    const [one] = found;
    if (!one || found.length > 1) return { found: one ? ('several' as const) : ('none' as const), status };
    const { block, transaction } = one;
    const { actions: _actions, ...record } = transaction;
    return {
      found: 'one' as const,
      status,
      transaction: {
        ...factsOf(block),
        id: record.id.toString('hex'),
        block: storedBlockOf(block).block,
        receiptIndex: record.receiptIndex,
        record,
        actions: actionsOf(transaction),
      },
    };
  }

  async getBlock(selector: BlockSelector) {
    const block = this.select(selector);
    return { status: this.status, block: block && storedBlockOf(block) };
  }

  async getBlockTraces(selector: BlockSelector) {
    const block = this.select(selector);
    const transactions = (block?.transactions ?? []).map((transaction) => {
      const { actions: _actions, ...record } = transaction;
      return { record, actions: actionsOf(transaction) };
    });
    return { status: this.status, block: block && storedBlockOf(block), transactions };
  }

  async getAbis(requests: AbiRequest[], isKnown: (id: string) => boolean) {
    const versions = requests.map((request) => {
      const abi = this.abiInForce(request);
      if (!abi) return undefined;
      const id = createHash('sha256').update(abi).digest('hex');
      return { id, bytes: isKnown(id) ? undefined : abi };
    });
    return { status: this.status, versions };
  }

  async hasAccount(account: string) {
    const { accounts } = this.accountsWith(() => true);
    return { status: this.status, exists: accounts.includes(account) };
  }

  async getKeyAccounts(key: Buffer, maxAccounts?: number) {
    return this.accountsWith(({ keys }) => keys.some((held) => held.equals(key)), maxAccounts);
  }

  async getControlledAccounts(actor: string, maxAccounts?: number) {
    return this.accountsWith(({ actors }) => actors.includes(actor), maxAccounts);
  }

  private select(selector: BlockSelector): BlockRecords | undefined {
    if (selector === 'latest') return [...this.blocks.values()].at(-1);
    if ('num' in selector) return this.blocks.get(selector.num);
    return [...this.blocks.values()].find(({ position }) => position.id === selector.id);
  }

  private abiInForce({ account, blockNum, sequence }: AbiRequest): Buffer | undefined {
    const changes = [...this.blocks.values()].flatMap(({ position, abiChanges }) =>
      abiChanges.map((change) => ({ ...change, blockNum: position.num })),
    );
    return changes.findLast(
      (change) =>
        change.account === account &&
        (change.blockNum < blockNum || (change.blockNum === blockNum && change.sequence < sequence)),
    )?.abi;
  }

  private accountsWith(holds: (authority: Authority) => boolean, maxAccounts = Infinity) {
    const current = new Map<string, { owner: string; authority: Authority | undefined }>();
    for (const { permissionChanges } of this.blocks.values()) {
      for (const { owner, name, authority } of permissionChanges) current.set(`${owner}@${name}`, { owner, authority });
    }
    const holding = [...current.values()].filter(({ authority }) => authority && holds(authority));
    const accounts = [...new Set(holding.map(({ owner }) => owner))].sort();
    if (accounts.length > maxAccounts) throw tooManyAccounts(maxAccounts);
    return { status: this.status, accounts };
  }
}

function rowsOf(block: BlockRecords, transaction: TransactionRecord): Row[] {
  return transaction.actions.map((entry) => ({
    ...factsOf(block),
    entry,
    action: decodeActionRecord(entry.bytes, transaction.firstSequence),
    transactionId: transaction.id.toString('hex'),
  }));
}

function actionsOf({ actions, firstSequence }: TransactionRecord): ActionRecord[] {
  return actions.map(({ bytes }) => decodeActionRecord(bytes, firstSequence));
}

function factsOf({ position, timestamp }: BlockRecords) {
  return { blockNum: position.num, blockId: position.id, blockTimestamp: timestamp };
}

function matches(
  row: Row,
  { account, filters, after, before, parent }: TraceConditions & { account?: string | undefined },
): boolean {
  if (parent !== undefined && parent !== 'root') throw new Error('this reader does not support queries by parent');
  const { entry } = row;
  return (
    (account === undefined || entry.accounts.includes(account)) &&
    (filters.length === 0 ||
      filters.some(
        (filter) => (filter.account ?? entry.account) === entry.account && (filter.name ?? entry.name) === entry.name,
      )) &&
    (after === undefined || positionOf(row, after) >= valueOf(after)) &&
    (before === undefined || positionOf(row, before) <= valueOf(before)) &&
    (parent === undefined || entry.root)
  );
}

function positionOf(row: StoredAction, bound: Bound): number {
  return 'blockNum' in bound ? row.blockNum : blockTimestampToMs(row.blockTimestamp);
}

function valueOf(bound: Bound): number {
  return 'blockNum' in bound ? bound.blockNum : bound.timeMs;
}

const opened = new Map<SampleName, SampleReader>();

/** The reader of a sample, read once per test file. Tests that change its status do so on an object that inherits from it. */
export function openSampleReader(name: SampleName): SampleReader {
  const known = opened.get(name);
  if (known) return known;
  const reader = new SampleReader(name);
  opened.set(name, reader);
  return reader;
}
