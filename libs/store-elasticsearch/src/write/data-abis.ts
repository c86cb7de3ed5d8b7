import { LRUCache } from 'lru-cache';
import { type AbiDecoder, createAbiDecoder } from '@antelope-history/abi';
import { BlockData, type DataFields } from '@antelope-history/data-fields';
import { type ActionEntry, type BlockRecords, decodeActionRecord } from '@antelope-history/records';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import { abiHash } from '../indices/abi-hash';
import type { ProgressDocument } from '../indices/documents';
import { dataMark } from '../indices/data-terms';
import { areWriterFields } from '../indices/progress';
import type { BlockDataTerms, JournalData } from './block-documents';
import { type CommittedAbis, NO_ABI } from './committed-abis';
import { KnownAncestry } from './known-ancestry';
import { SeenAbis } from './seen-abis';

const MAX_DECODERS = 100;

/** The ABI that this process used last for a contract, and how many the contract had had by then. */
interface UsedAbi {
  count: number;
  hash: string;
}

/** A use of an ABI by an irreversible block, which was certainly in force. */
interface ProvenAbi extends UsedAbi {
  block_num: number;
}

/** An action, and the first sequence of its transaction. */
interface FirstAction {
  action: ActionEntry;
  firstSequence: number;
}

/** The actions of a block that may have indexed data. */
interface IndexedActions {
  count: number;
  /** The first of these actions of each contract. */
  firstOf: Map<string, FirstAction>;
}

/** The ABI that a contract has before a block, and whether it may turn out to be another one. */
interface AbiBefore {
  hash: string;
  isAssumed: boolean;
}

/** The hashes of the ABIs that contracts have before a block, and whether one of them may turn out to be another one. */
interface AbisBefore {
  hashes: Record<string, string>;
  areAssumed: boolean;
}

/** A block to decode and what is known of the blocks before it. */
interface BlockPlace {
  block: BlockRecords;
  progress: ProgressDocument;
  /** See `KnownAncestry.add`. */
  root: BlockPosition | undefined;
}

/** The values of a block's indexed data fields, and what its journal entry says of them. */
export interface DecodedData {
  terms: BlockDataTerms;
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

/**
 * Decodes the indexed data fields of blocks. A block may be written before those that precede it, by another process even. The ABI
 * in force is certain when this process has seen all blocks from a committed one on, or when the receipts show that the contract
 * has not set another one since an irreversible block. Otherwise it is assumed: the journal says which one was used, and the
 * committer refuses the block when another one is in force. It is then sent again, after the blocks before it are committed. Most
 * such blocks are recognised by their receipts, and postponed instead.
 */
export class DataAbis {
  private readonly seen = new SeenAbis();
  /** `abi_rewrites` of the progress. */
  private rewrites = 0;
  private ancestry = new KnownAncestry();
  private readonly used = new Map<string, UsedAbi>();
  private readonly proven = new Map<string, ProvenAbi>();
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
   * block needs an ABI that another process has yet to write; after `postponeMs` the ABI that is known is used. Rejects with
   * `DATA_FIELDS_DIFFER` when the writers index by other fields since a process with another configuration has begun.
   */
  async decode(
    block: BlockRecords,
    progress: ProgressDocument,
    mayPostpone: boolean,
  ): Promise<DecodedData | undefined> {
    this.assertFields(progress);
    if (this.fields.keys.length === 0) return this.withoutFields(block);
    this.forgetReplaced(progress);
    this.seen.addBlock(block, progress.view);
    const root = this.ancestry.add(block, progress);
    const indexed = this.indexedIn(block);
    const before = await this.abisBefore(indexed, { block, progress, root }, mayPostpone);
    if (!before) return undefined;
    const { hashes, areAssumed } = before;
    const decoders = new Map<string, AbiDecoder | undefined>();
    for (const [contract, hash] of Object.entries(hashes)) decoders.set(contract, await this.decoderOf(contract, hash));
    const after = this.abisSetIn(block);
    this.seen.addAbis(block, after);
    if (root) this.ancestry.addAbis(block.position, after);
    const data = new BlockData(this.fields, block, (contract) => decoders.get(contract));
    const mark = indexed.count > 0 ? this.markOf(block, hashes) : undefined;
    const hasAbis = Object.keys(hashes).length + Object.keys(after).length > 0;
    return {
      terms: { data, areAbisAssumed: areAssumed, ...(mark !== undefined && { mark }) },
      journal: {
        data_fields: this.fields.keys,
        ...(hasAbis && { data_abis: { before: hashes, after, rewrites: this.rewrites } }),
        ...(mark !== undefined && { data_mark: { mark, actions: indexed.count } }),
      },
    };
  }

  /** As `decode`, for an irreversible block of the committed branch that is stored again. */
  async decodeStored(block: BlockRecords, progress: ProgressDocument): Promise<BlockData> {
    const decoders = new Map<string, AbiDecoder | undefined>();
    for (const contract of this.indexedIn(block).firstOf.keys()) {
      const hash = await this.committed.hashBelow(contract, block.position.num, progress);
      decoders.set(contract, await this.decoderOf(contract, hash));
    }
    return new BlockData(this.fields, block, (contract) => decoders.get(contract));
  }

  private assertFields(progress: ProgressDocument): void {
    const { keys } = this.fields;
    if (areWriterFields(keys, progress)) return;
    const others = progress.writer_fields?.keys.join(', ') || 'none';
    throw new HistoryError(
      'DATA_FIELDS_DIFFER',
      `a process that began later indexes other data fields (${others}) than this one (${keys.join(', ') || 'none'}): ` +
        'give all indexers the same index.data_fields, and restart them',
    );
  }

  private indexedIn({ transactions }: BlockRecords): IndexedActions {
    const indexed: IndexedActions = { count: 0, firstOf: new Map() };
    if (this.fields.keys.length === 0) return indexed;
    for (const { actions, firstSequence } of transactions) {
      for (const action of actions) {
        if (this.fields.of(action.account, action.name).length === 0) continue;
        indexed.count++;
        if (!indexed.firstOf.has(action.account)) indexed.firstOf.set(action.account, { action, firstSequence });
      }
    }
    return indexed;
  }

  private withoutFields(block: BlockRecords): DecodedData {
    const data = new BlockData(this.fields, block, () => undefined);
    return { terms: { data, areAbisAssumed: false }, journal: {} };
  }

  private markOf({ position }: BlockRecords, abis: Readonly<Record<string, string>>): string {
    return dataMark(position.id, { fields: this.fields.keys, abis, rewrites: this.rewrites });
  }

  /** The ABIs that the contracts of the indexed actions have before a block; undefined when the block is to be postponed. */
  private async abisBefore(
    { firstOf }: IndexedActions,
    place: BlockPlace,
    mayPostpone: boolean,
  ): Promise<AbisBefore | undefined> {
    const before: AbisBefore = { hashes: {}, areAssumed: false };
    for (const [contract, first] of firstOf) {
      const { hash, isAssumed } = await this.abiBefore(contract, first, place);
      const count = abiCountOf(first) ?? 0;
      const isOutdated = isAssumed && mayPostpone && this.isOutdated(contract, { count, hash }, place);
      if (isOutdated && this.isToBePostponed(contract)) return undefined;
      this.outdatedSince.delete(contract);
      this.used.set(contract, { count, hash });
      before.hashes[contract] = hash;
      before.areAssumed ||= isAssumed;
    }
    return before;
  }

  private async abiBefore(
    contract: string,
    first: FirstAction,
    { block, progress, root }: BlockPlace,
  ): Promise<AbiBefore> {
    const { position, lastIrreversible } = block;
    const count = abiCountOf(first);
    const proven = this.proven.get(contract);
    if (proven && count === proven.count && position.num > proven.block_num) {
      return { hash: proven.hash, isAssumed: false };
    }
    if (!root) return { hash: await this.assumedBefore(contract, block, progress), isAssumed: true };
    const hash =
      this.ancestry.abiBelow(contract, position.num) ?? (await this.committedBelow(contract, root.num + 1, progress));
    // In a block that sets an ABI, the action may have run after it.
    const setsAbi = block.abiChanges.some(({ account }) => account === contract);
    if (count !== undefined && !setsAbi && position.num <= lastIrreversible.num) {
      this.proven.set(contract, { count, hash, block_num: position.num });
    }
    return { hash, isAssumed: false };
  }

  private async committedBelow(contract: string, blockNum: number, progress: ProgressDocument): Promise<string> {
    return dataAbiBelow(progress, contract, blockNum) ?? this.committed.hashBelow(contract, blockNum, progress);
  }

  /**
   * Whether the contract may have set an ABI in a block that is not committed and that this process has not seen: more ABIs than
   * have become known since this process last used one. Which ABI the first block needs can only be learned from the blocks before it.
   */
  private isOutdated(contract: string, { count, hash }: UsedAbi, { block, progress }: BlockPlace): boolean {
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
  private async assumedBefore(contract: string, block: BlockRecords, progress: ProgressDocument): Promise<string> {
    const { view } = progress;
    const seen = this.seen.abiBefore(contract, block, view);
    return seen ?? this.committedBelow(contract, this.seen.committedEnd(block, view), progress);
  }

  /** After a repair has replaced an ABI: what this process knows of ABIs may come from the wrong one. */
  private forgetReplaced({ abi_rewrites: rewrites = 0 }: ProgressDocument): void {
    if (rewrites === this.rewrites) return;
    this.rewrites = rewrites;
    this.seen.forgetAbis();
    this.ancestry = new KnownAncestry();
    this.used.clear();
    this.proven.clear();
    this.decoders.clear();
  }

  /** The hash of the last ABI that a block sets for each contract with indexed fields; keeps their decoders. */
  private abisSetIn({ abiChanges }: BlockRecords): Record<string, string> {
    const changes = abiChanges
      .filter(({ account }) => this.fields.contracts.has(account))
      .sort((left, right) => left.sequence - right.sequence);
    const abis: Record<string, string> = {};
    for (const { account, abi } of changes) {
      const hash = abiHash(abi);
      abis[account] = hash;
      this.decoders.set(hash, { decoder: createAbiDecoder(abi) });
    }
    return abis;
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

/**
 * How many ABIs the contract of an action had had when it ran (nodeos action_receipt, abi_sequence); undefined when the contract
 * itself did not run.
 */
function abiCountOf({ action, firstSequence }: FirstAction): number | undefined {
  const { traces } = decodeActionRecord(action.bytes, firstSequence);
  return traces.find(({ receiver }) => receiver === action.account)?.receipt.abiSequence;
}
