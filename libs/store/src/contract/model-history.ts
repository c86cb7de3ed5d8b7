import {
  type AbiChange,
  type Authority,
  type BlockRecords,
  isStateComplete,
  listedNumbers,
} from '@antelope-history/records';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import type { AccountTracesPage, AccountTracesQuery } from '../account-traces';
import type {
  AbiLookup,
  AbiVersion,
  AccountLookup,
  AccountsLookup,
  ActionsPage,
  ActionsQuery,
  BlockLookup,
  BlockSelector,
  BlockTracesLookup,
  Progress,
  TransactionLookup,
} from '../history-store';
import type { AbiRequest, ChainStatus, StoredAction, StoredBlock } from '../stored';
import type { HistoryStore } from './join-store';
import { selectAccountTraces } from './model-account-traces';
import { CONTRACT_DATA_FIELDS } from './data-plans';
import { selectPage } from './model-actions';
import { dataTextsOf } from './model-data';
import { storedTransactionsOf } from './model-rows';

const NO_DATA: ReadonlyMap<string, string> = new Map();

interface ModelFacts {
  chainId?: string;
  dataFields?: readonly string[];
  /** The first block whose data the store indexed, if it is none of the model's. */
  dataFrom?: number;
  hasRemovedBlocks?: boolean;
}

/**
 * The reference implementation of the store port: the blocks of the committed branch in an array, and every query a filter over
 * all of them. It is slow; every adapter is compared with it.
 */
export class ModelHistory implements HistoryStore {
  private blocks: readonly BlockRecords[] = [];
  private chainId: string | undefined;
  private head: BlockPosition | undefined;
  private lastIrreversible: BlockPosition | undefined;
  private revision = 0;
  private hasRemovedBlocks = false;
  private lacksState = false;
  /** The first block that was written: the store indexes its data fields from there on. */
  private firstWritten: number | undefined;
  private readonly dataTexts = new WeakMap<StoredAction, ReadonlyMap<string, string>>();

  /** `dataFields`: the keys of the data fields that the compared store indexes. */
  constructor(private readonly dataFields: readonly string[] = CONTRACT_DATA_FIELDS) {}

  /** A model that holds these consecutive blocks. */
  static of(
    blocks: readonly BlockRecords[],
    { chainId, dataFields, dataFrom, hasRemovedBlocks = false }: ModelFacts = {},
  ): ModelHistory {
    const model = new ModelHistory(dataFields);
    model.hasRemovedBlocks = hasRemovedBlocks;
    model.firstWritten = dataFrom;
    model.chainId = chainId;
    for (const block of blocks) model.writeBlock(block);
    return model;
  }

  /** The committed branch, ascending. */
  get committedBlocks(): readonly BlockRecords[] {
    return this.blocks;
  }

  /** The blocks with history: those that the node sent with their contents. */
  get historyBlocks(): readonly BlockRecords[] {
    return this.blocks.filter(({ block }) => block !== undefined);
  }

  /** Removes the blocks before this irreversible one, and what was the state of them only. */
  removeBefore(num: number): void {
    this.blocks = this.blocks.filter(({ position }) => position.num >= num);
    this.hasRemovedBlocks = true;
  }

  /** No block up to this number can be undone. */
  get irreversibleNum(): number {
    return this.lastIrreversible?.num ?? 0;
  }

  async getStatus(): Promise<ChainStatus> {
    return this.status();
  }

  async getActions(query: ActionsQuery): Promise<ActionsPage> {
    return { status: this.status(), ...selectPage(this.historyBlocks, query, (row) => this.dataOf(row)) };
  }

  /** The texts of the indexed fields in an action's data, by the keys of the fields. */
  dataOf(row: StoredAction): ReadonlyMap<string, string> {
    const action = `${row.action.account}:${row.action.name}.`;
    if (!this.dataFields.some((key) => key.startsWith(action))) return NO_DATA;
    let texts = this.dataTexts.get(row);
    if (!texts) {
      const all = dataTextsOf(row, (request) => this.abiBefore(request));
      texts = new Map([...all].filter(([key]) => this.dataFields.includes(key)));
      this.dataTexts.set(row, texts);
    }
    return texts;
  }

  async getAccountTraces(query: AccountTracesQuery): Promise<AccountTracesPage> {
    return { status: this.status(), ...selectAccountTraces(this.historyBlocks, query) };
  }

  async getTransaction(idPrefix: string, blockNumHint?: number): Promise<TransactionLookup> {
    const status = this.status();
    const matching = this.historyBlocks.flatMap((block) =>
      storedTransactionsOf(block).filter(({ id }) => id.startsWith(idPrefix)),
    );
    const hinted = matching.find(({ id, blockNum }) => id === idPrefix && blockNum === blockNumHint);
    const transaction = hinted ?? matching[0];
    if (!transaction) return { found: 'none', status };
    if (matching.some(({ id }) => id !== transaction.id)) return { found: 'several', status };
    return { found: 'one', status, transaction };
  }

  async getBlock(selector: BlockSelector): Promise<BlockLookup> {
    const records = this.findBlock(selector);
    return { status: this.status(), block: records && storedBlockOf(records) };
  }

  async getBlockTraces(selector: BlockSelector): Promise<BlockTracesLookup> {
    const records = this.findBlock(selector);
    return {
      status: this.status(),
      block: records && storedBlockOf(records),
      transactions: records ? storedTransactionsOf(records).map(({ record, actions }) => ({ record, actions })) : [],
    };
  }

  /** A version's id is its bytes in hex, so equal ids are equal ABIs. */
  async getAbis(requests: AbiRequest[], isKnown: (id: string) => boolean): Promise<AbiLookup> {
    const versions = requests.map((request): AbiVersion | undefined => {
      const bytes = this.abiBefore(request);
      if (!bytes || bytes.length === 0) return undefined;
      const id = bytes.toString('hex');
      return { id, bytes: isKnown(id) ? undefined : bytes };
    });
    return { status: this.status(), versions };
  }

  async hasAccount(account: string): Promise<AccountLookup> {
    return { status: this.status(), exists: this.permissions().get(`${account}@owner`)?.authority !== undefined };
  }

  async getKeyAccounts(key: Buffer): Promise<AccountsLookup> {
    return this.ownersWhere(({ keys }) => keys.some((each) => each.equals(key)));
  }

  async getControlledAccounts(actor: string): Promise<AccountsLookup> {
    return this.ownersWhere(({ actors }) => actors.includes(actor));
  }

  async getProgress(): Promise<Progress> {
    const status = this.status();
    const { committed, firstBlockNum = committed?.num ?? 0 } = status;
    const listed = new Set(listedNumbers(firstBlockNum, committed?.num ?? -1));
    const positions = this.blocks.map(({ position }) => position).filter(({ num }) => listed.has(num));
    return { status, positions, sequence: 0 };
  }

  async setChainId(chainId: string): Promise<void> {
    if (this.chainId !== undefined && this.chainId !== chainId) {
      throw new HistoryError('CHAIN_ID_MISMATCH', `the model holds ${this.chainId}`);
    }
    this.chainId = chainId;
  }

  /** Its memory has no end. */
  async readFreeBytes(): Promise<number> {
    return Number.MAX_SAFE_INTEGER;
  }

  async maintain(): Promise<ChainStatus> {
    return this.status();
  }

  async writeBlocks(blocks: BlockRecords[]): Promise<ChainStatus> {
    for (const block of blocks) this.writeBlock(block);
    return this.status();
  }

  async close(): Promise<void> {}

  private writeBlock(block: BlockRecords): void {
    const { num, id } = block.position;
    const tip = this.blocks.at(-1)?.position;
    if (tip && num <= tip.num) {
      if (this.blocks.some(({ position }) => position.num === num && position.id === id)) return;
      this.undoFrom(block);
    } else if (tip && (num !== tip.num + 1 || block.previous?.id !== tip.id)) {
      throw new HistoryError('BLOCK_GAP', `block ${num} does not follow ${tip.num}`);
    }
    this.firstWritten ??= num;
    this.lacksState = !isStateComplete(block, tip && !this.lacksState);
    this.blocks = [...this.blocks, block];
    this.head = block.head;
    // Irreversibility is never taken back, whatever a node that lags behind reports.
    if (this.irreversibleNum <= block.lastIrreversible.num) this.lastIrreversible = block.lastIrreversible;
  }

  private undoFrom(block: BlockRecords): void {
    const { num } = block.position;
    if (num <= this.irreversibleNum) throw new HistoryError('FORK_TOO_DEEP', `block ${num}`);
    const below = this.blocks.filter(({ position }) => position.num < num);
    const parent = below.at(-1)?.position;
    if (parent && parent.id !== block.previous?.id) throw new HistoryError('BLOCK_GAP', `block ${num} has no parent`);
    this.blocks = below;
    if (!parent) this.firstWritten = undefined;
    this.revision++;
  }

  private status(): ChainStatus {
    return {
      chainId: this.chainId,
      firstBlockNum: this.historyBlocks[0]?.position.num,
      ...(this.hasRemovedBlocks && { hasRemovedBlocks: true as const }),
      ...(this.lacksState && { lacksState: true as const }),
      committed: this.blocks.at(-1)?.position,
      head: this.head,
      lastIrreversible: this.lastIrreversible,
      committedTimestamp: this.blocks.at(-1)?.timestamp || undefined,
      dataFields: Object.fromEntries(
        this.firstWritten === undefined ? [] : this.dataFields.map((key) => [key, this.firstWritten as number]),
      ),
      revision: this.revision,
    };
  }

  private findBlock(selector: BlockSelector): BlockRecords | undefined {
    if (selector === 'latest') return this.blocks.at(-1)?.block && this.blocks.at(-1);
    return this.historyBlocks.find(({ position }) =>
      'num' in selector ? position.num === selector.num : position.id === selector.id,
    );
  }

  private abiBefore(request: AbiRequest): Buffer | undefined {
    let inForce: AbiChange | undefined;
    for (const { position, abiChanges } of this.blocks) {
      if (position.num > request.blockNum) break;
      const own = abiChanges.filter(({ account }) => account === request.account);
      for (const change of own.sort((left, right) => left.sequence - right.sequence)) {
        const isBefore = change.sequence === 0 || change.sequence < request.sequence;
        if (position.num < request.blockNum || isBefore) inForce = change;
      }
    }
    return inForce?.abi;
  }

  private ownersWhere(holds: (authority: Authority) => boolean): AccountsLookup {
    const owners = new Set<string>();
    for (const { owner, authority } of this.permissions().values()) {
      if (authority && holds(authority)) owners.add(owner);
    }
    return { status: this.status(), accounts: [...owners].sort() };
  }

  /** The last change of each permission. */
  private permissions(): Map<string, { owner: string; authority: Authority | undefined }> {
    const permissions = new Map<string, { owner: string; authority: Authority | undefined }>();
    for (const { permissionChanges } of this.blocks) {
      for (const { owner, name, authority } of permissionChanges) {
        permissions.set(`${owner}@${name}`, { owner, authority });
      }
    }
    return permissions;
  }
}

function storedBlockOf(records: BlockRecords): StoredBlock {
  const { position, block, generation, hasTraces, actionRoot, rootSequences } = records;
  return { position, block: block as Buffer, generation, hasTraces, actionRoot, rootSequences };
}
