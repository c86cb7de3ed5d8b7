import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type AbiDecoder, createAbiDecoder } from '@antelope-history/abi';
import { BlockData, type DataFields } from '@antelope-history/data-fields';
import { type ActionEntry, type BlockRecords, decodeActionRecord } from '@antelope-history/records';
import { incomplete, type Query, type Searcher } from '../client/search';
import type { AbiDocument, DataAbi, ProgressDocument, StoredStreamPosition } from '../indices/documents';
import type { IndexNames } from '../indices/index-names';
import type { JournalData } from './block-documents';

/** Of a contract without an ABI. */
const NO_ABI = '';
/** Versions of one contract that are read at once: those of orphans are among them. */
const VERSIONS_AT_ONCE = 100;
/** Changes of ABIs that this process has seen and that may not be committed yet. */
const MAX_SEEN = 1_000;
const MAX_DECODERS = 100;

/** A block that this process has seen. */
interface SeenBlock {
  epoch: number;
  sequence: number;
  block_num: number;
}

/** A change of a contract's ABI in such a block. */
type SeenChange = SeenBlock & DataAbi;

/** The ABI that this process used last for a contract, and how many the contract had had by then. */
interface UsedAbi {
  count: number;
  hash: string;
}

/** An action, and the first sequence of its transaction. */
interface FirstAction {
  action: ActionEntry;
  firstSequence: number;
}

/** The values of a block's indexed data fields, and what its journal entry says of them. */
export interface DecodedData {
  data: BlockData;
  journal: JournalData;
}

/** The ABI that a contract has in a progress after all blocks below a number; undefined when the progress does not know. */
export function dataAbiBelow(
  { data_abis: abis = [] }: Pick<ProgressDocument, 'data_abis'>,
  contract: string,
  blockNum: number,
): string | undefined {
  return abis.findLast((abi) => abi.contract === contract && abi.block_num < blockNum)?.hash;
}

/** Finds ABIs of the committed branch. */
export class CommittedAbis {
  constructor(
    private readonly names: IndexNames,
    private readonly searcher: Searcher,
  ) {}

  /** The hash of the ABI that a contract has after all committed blocks below a number. */
  async hashBelow(contract: string, blockNum: number, progress: ProgressDocument): Promise<string> {
    for await (const { hash } of this.newestFirst(contract, blockNum - 1, progress)) return hash;
    return NO_ABI;
  }

  /** The ABIs that a contract has on the committed branch, ascending: the newest irreversible one and all later ones. */
  async reversibleOf(contract: string, progress: ProgressDocument): Promise<DataAbi[]> {
    const irreversibleNum = progress.last_irreversible?.num ?? 0;
    const found: DataAbi[] = [];
    for await (const abi of this.newestFirst(contract, Infinity, progress)) {
      if (found[0]?.block_num !== abi.block_num) found.unshift(abi);
      if (abi.block_num <= irreversibleNum) return found;
    }
    return [{ contract, block_num: -1, hash: NO_ABI }, ...found];
  }

  /** The changes of a contract's ABI in committed blocks up to a number. */
  private async *newestFirst(contract: string, lastBlock: number, progress: ProgressDocument): AsyncGenerator<DataAbi> {
    const branch = new Set(progress.branch.map(({ id }) => id));
    const last = Math.min(lastBlock, progress.committed?.num ?? -1);
    for (let from = 0; ; from += VERSIONS_AT_ONCE) {
      const { hits } = await this.searcher.search({
        index: this.names.abis,
        filters: [{ term: { account: contract } }, { range: { block_num: { lte: last } } }],
        sort: [{ block_num: 'desc' }, { sequence: 'desc' }],
        from,
        size: VERSIONS_AT_ONCE,
        fetch: { _source: ['block', 'block_num', 'hash'] },
      });
      for (const { _source } of hits) {
        const { block, block_num, hash } = _source as AbiDocument;
        if (block_num <= progress.clean_up_to || branch.has(block)) yield { contract, block_num, hash };
      }
      if (hits.length < VERSIONS_AT_ONCE) return;
    }
  }

  /** The bytes of an ABI of a contract by their hash. */
  async bytesOf(contract: string, hash: string): Promise<Buffer> {
    const filters: Query[] = [{ term: { account: contract } }, { term: { hash } }];
    const { hits } = await this.searcher.search({
      index: this.names.abis,
      filters,
      size: 1,
      fetch: { _source: ['abi'] },
    });
    if (!hits[0]) throw incomplete(`the ABI ${hash} of ${contract} is missing`);
    return Buffer.from((hits[0]._source as AbiDocument).abi, 'base64');
  }
}

/**
 * Decodes the indexed data fields of blocks. A block may be written before those that precede it, by another process even, so
 * that the ABI in force can only be assumed: the journal says which one was used, and the committer refuses the block when
 * another one is in force. It is then sent again, after the blocks before it are committed. Most such blocks are recognised by
 * their receipts, and postponed instead.
 */
export class DataAbis {
  private changes: SeenChange[] = [];
  /** The first blocks of runs of consecutive blocks. */
  private runs: SeenBlock[] = [];
  private last: SeenBlock | undefined;
  private readonly used = new Map<string, UsedAbi>();
  /** By `performance.now()`, the contracts of postponed blocks. */
  private readonly outdatedSince = new Map<string, number>();
  private readonly decoders = new LRUCache<string, { decoder: AbiDecoder | undefined }>({ max: MAX_DECODERS });

  constructor(
    private readonly committed: CommittedAbis,
    private readonly fields: DataFields,
    private readonly postponeMs: number,
  ) {}

  /**
   * Call it for the blocks of an epoch in their order, as far as this process has them. With `mayPostpone`, undefined when the
   * block needs an ABI that another process has yet to write; after `postponeMs` the ABI that is known is used.
   */
  async decode(
    block: BlockRecords,
    progress: ProgressDocument,
    mayPostpone: boolean,
  ): Promise<DecodedData | undefined> {
    this.noteRun(block, progress.view);
    const before: Record<string, string> = {};
    for (const [contract, first] of this.contractsIn(block)) {
      const hash = await this.assumedBefore(contract, block, progress);
      const count = abiCountOf(first);
      const isOutdated = mayPostpone && this.isOutdated(contract, { count, hash }, block, progress);
      if (isOutdated && this.isToBePostponed(contract)) return undefined;
      this.outdatedSince.delete(contract);
      this.used.set(contract, { count, hash });
      before[contract] = hash;
    }
    const decoders = new Map<string, AbiDecoder | undefined>();
    for (const [contract, hash] of Object.entries(before)) decoders.set(contract, await this.decoderOf(contract, hash));
    const after = this.note(block);
    const data = new BlockData(this.fields, block, (contract) => decoders.get(contract));
    const hasAbis = Object.keys(before).length + Object.keys(after).length > 0;
    return {
      data,
      journal: {
        ...(this.fields.keys.length > 0 && { data_fields: this.fields.keys }),
        ...(hasAbis && { data_abis: { before, after } }),
      },
    };
  }

  /** As `decode`, for an irreversible block of the committed branch that is stored again. */
  async decodeStored(block: BlockRecords, progress: ProgressDocument): Promise<BlockData> {
    const decoders = new Map<string, AbiDecoder | undefined>();
    for (const contract of this.contractsIn(block).keys()) {
      const hash = await this.committed.hashBelow(contract, block.position.num, progress);
      decoders.set(contract, await this.decoderOf(contract, hash));
    }
    return new BlockData(this.fields, block, (contract) => decoders.get(contract));
  }

  /** The contracts of the block's actions that have indexed fields, each with the first of these actions. */
  private contractsIn({ transactions }: BlockRecords): Map<string, FirstAction> {
    const contracts = new Map<string, FirstAction>();
    if (this.fields.keys.length === 0) return contracts;
    for (const { actions, firstSequence } of transactions) {
      for (const action of actions) {
        if (this.fields.of(action.account, action.name).length === 0 || contracts.has(action.account)) continue;
        contracts.set(action.account, { action, firstSequence });
      }
    }
    return contracts;
  }

  /**
   * Whether the contract may have set an ABI in a block that is not committed and that this process has not seen: more ABIs than
   * have become known since this process last used one. Which ABI the first block needs can only be learned from the blocks before it.
   */
  private isOutdated(
    contract: string,
    { count, hash }: UsedAbi,
    block: BlockRecords,
    progress: ProgressDocument,
  ): boolean {
    if (isNextOf(block, progress) || block.abiChanges.some(({ account }) => account === contract)) return false;
    const used = this.used.get(contract);
    return !used || count > used.count + (hash === used.hash ? 0 : 1);
  }

  private isToBePostponed(contract: string): boolean {
    const now = performance.now();
    const since = this.outdatedSince.get(contract) ?? now;
    this.outdatedSince.set(contract, since);
    return now - since < this.postponeMs;
  }

  /** From the progress, and from the blocks after it that this process has seen. */
  private async assumedBefore(
    contract: string,
    { position, streamPosition: { epoch, sequence } }: BlockRecords,
    progress: ProgressDocument,
  ): Promise<string> {
    const { ordinal } = progress.view;
    const isBetween = (seen: SeenBlock): boolean =>
      seen.epoch === epoch && seen.sequence > ordinal && seen.sequence <= sequence;
    const change = this.changes.findLast(
      (seen) => isBetween(seen) && seen.contract === contract && seen.block_num < position.num,
    );
    if (change) return change.hash;
    const undoneFrom = this.runs.filter(isBetween).map(({ block_num: num }) => num);
    const below = Math.min(position.num, ...undoneFrom);
    return dataAbiBelow(progress, contract, below) ?? this.committed.hashBelow(contract, below, progress);
  }

  /** Notes where blocks do not follow the last one: they undo all that the progress says of their numbers. */
  private noteRun(
    { position: { num }, streamPosition: { epoch, sequence } }: BlockRecords,
    view: StoredStreamPosition,
  ): void {
    this.runs = this.runs.filter((run) => run.sequence > view.ordinal);
    if (epoch === this.last?.epoch && sequence === this.last.sequence) return;
    if (epoch !== this.last?.epoch || num !== this.last.block_num + 1)
      this.runs.push({ epoch, sequence, block_num: num });
    this.last = { epoch, sequence, block_num: num };
  }

  /** Notes the ABIs that a block sets, in place of those of blocks that it undoes; returns the last one of each contract. */
  private note({ position, streamPosition, abiChanges }: BlockRecords): Record<string, string> {
    const { epoch, sequence } = streamPosition;
    this.changes = this.changes.filter(
      (change) => change.epoch !== epoch || change.sequence > sequence || change.block_num < position.num,
    );
    const changes = abiChanges
      .filter(({ account }) => this.fields.contracts.has(account))
      .sort((left, right) => left.sequence - right.sequence);
    const after: Record<string, string> = {};
    for (const { account, abi } of changes) {
      const hash = createHash('sha256').update(abi).digest('hex');
      after[account] = hash;
      this.decoders.set(hash, { decoder: createAbiDecoder(abi) });
    }
    for (const [contract, hash] of Object.entries(after)) {
      this.changes.push({ contract, hash, block_num: position.num, epoch, sequence });
    }
    if (this.changes.length > MAX_SEEN) this.changes.shift();
    return after;
  }

  private async decoderOf(contract: string, hash: string): Promise<AbiDecoder | undefined> {
    if (hash === NO_ABI) return undefined;
    const known = this.decoders.get(hash);
    if (known) return known.decoder;
    const decoder = createAbiDecoder(await this.committed.bytesOf(contract, hash));
    this.decoders.set(hash, { decoder });
    return decoder;
  }
}

/** Whether all blocks before a block are committed: a reader begins an epoch at the committed position. */
function isNextOf(
  { position, streamPosition: { epoch, sequence } }: BlockRecords,
  { view, committed }: ProgressDocument,
): boolean {
  if (committed && position.num <= committed.num + 1) return true;
  return sequence <= (epoch === view.session ? view.ordinal + 1 : epoch);
}

/** How many ABIs the contract of an action had had when it ran (nodeos action_receipt, abi_sequence). */
function abiCountOf({ action, firstSequence }: FirstAction): number {
  const { traces } = decodeActionRecord(action.bytes, firstSequence);
  return traces.find(({ receiver }) => receiver === action.account)?.receipt.abiSequence ?? 0;
}
