import type { BlockTracesLookup, HistoryReader } from '@antelope-history/store';
import { hasErrorCode } from '@antelope-history/schemas';
import { type AbisAround, AbiVerifier } from './abi-verifier';
import { BlockRanges } from './block-ranges';
import {
  ChainVerifier,
  isOfContents,
  type StoredFault,
  type VerifiedBlock,
  type VerifiedCounts,
} from './chain-verifier';
import type { Checkpoint } from './checkpoint';
import type { ListVerifier } from './list-verifier';
import { PermissionVerifier } from './permission-verifier';
import { type BlockRead, readBlocks } from './read-blocks';
import { type SetAbi, setAbisOf, StateReplay } from './state-replay';

export interface VerifyOptions {
  /** First and last block number. */
  from: number;
  to: number;
  /** Where an interrupted run ended, instead of `from`. */
  checkpoint?: Checkpoint | undefined;
  /** Whether the permissions are compared after the last block: only where those above it are few, and no block is wrong. */
  comparesPermissions: boolean;
  /** Without it the lists of the store are not compared. */
  lists?: ListVerifier;
  /** Ends the run after the block in progress, or before it when a read rejects with `STOPPED`. */
  signal: AbortSignal;
  onFault(fault: StoredFault): void;
  /** Called after each block. */
  onBlock(blockNum: number, counts: Readonly<VerifiedCounts>): void;
  /** Awaited after each block; `current` returns what a run that ended there would return. */
  afterBlock?: ((current: () => Verification) => Promise<void>) | undefined;
}

/** What a run has verified, and from where another one continues. */
export type Verification = Omit<Checkpoint, 'chainId' | 'range'> & {
  /** False when the run was aborted before it had verified every block and every permission. */
  isComplete: boolean;
  /** Whether the store removed blocks before this run verified them, because it keeps only the newest ones. */
  hasSkippedBlocks: boolean;
};

/** Verifies a range of blocks, and the ABIs and permissions that result from them. */
export function verifyStore(reader: HistoryReader, options: VerifyOptions): Promise<Verification> {
  return new StoreVerification(reader, options).run();
}

class StoreVerification {
  private readonly chain = new ChainVerifier();
  private readonly replay: StateReplay;
  private readonly abis: AbiVerifier;
  private readonly from: number;
  private readonly wrong: BlockRanges;
  private isReplayWhole: boolean;
  private hasSkippedBlocks = false;
  private next: number;

  constructor(
    private readonly reader: HistoryReader,
    private readonly options: VerifyOptions,
  ) {
    const { checkpoint, from } = options;
    this.replay = checkpoint?.replay ?? new StateReplay();
    this.abis = new AbiVerifier(reader, checkpoint?.abis);
    this.from = checkpoint?.from ?? from;
    this.next = checkpoint?.next ?? from;
    this.wrong = new BlockRanges(checkpoint?.wrongBlocks);
    this.isReplayWhole = checkpoint?.isReplayWhole ?? true;
    if (!checkpoint) return;
    Object.assign(this.chain.counts, checkpoint.counts);
    this.chain.previous = checkpoint.previous;
    this.chain.sequences.restore(checkpoint.nextSequence, checkpoint.sequences);
  }

  async run(): Promise<Verification> {
    const { signal } = this.options;
    let counts: VerifiedCounts | undefined;
    try {
      await this.verifyBlocks();
      counts = { ...this.chain.counts };
      await this.verifyWhole();
    } catch (error) {
      if (!signal.aborted || !hasErrorCode(error, 'STOPPED')) throw error;
    }
    // What follows the last block begins again when the run continues.
    return this.result(signal.aborted && counts ? counts : this.chain.counts);
  }

  private async verifyBlocks(): Promise<void> {
    const { to, signal, afterBlock } = this.options;
    for await (const read of readBlocks(this.reader, this.next, to)) {
      await this.verifyBlock(read);
      if (signal.aborted) break;
      await afterBlock?.(() => this.result(this.chain.counts));
    }
  }

  /** Verifies what shows only when every block is. */
  private async verifyWhole(): Promise<void> {
    const { to, signal, comparesPermissions, lists } = this.options;
    if (this.next <= to || signal.aborted) return;
    for (const fault of await this.abis.verifyLatest(to)) {
      this.wrong.add(fault.blockNum);
      this.report(fault);
    }
    for (const fault of (await lists?.verify(signal)) ?? []) this.report(fault);
    if (comparesPermissions && this.isReplayWhole) await this.verifyPermissions();
  }

  private async verifyBlock(read: BlockRead): Promise<void> {
    // Before anything is noted of the block: a run that is interrupted here continues with it.
    const abis = await this.readAbis(read);
    const verified = this.chain.verify(this.next, read);
    this.hasSkippedBlocks ||= verified.isRemoved;
    if (verified.isRemoved || verified.faults.some(isOfContents)) this.distrust();
    else if ('found' in read && read.found.block) {
      this.options.lists?.add(this.next, read.found.transactions);
      for (const [index, set] of this.replay.apply(this.next, read.found.transactions).entries())
        verified.faults.push(...this.abis.verify(set, abis[index] as AbisAround));
    }
    for (const fault of verified.faults) this.report(fault);
    this.noteWrong(verified);
    this.options.onBlock(this.next, this.chain.counts);
    this.next++;
  }

  /** What a wrong or removed block has set is not known: the replay continues without it. */
  private distrust(): void {
    this.isReplayWhole = false;
    this.abis.latest.clear();
  }

  /** Notes which block is to be fetched again. One whose actions have their root is right, so a gap before it is not its fault. */
  private noteWrong({ faults, areActionsProved }: VerifiedBlock): void {
    for (const fault of faults) {
      if (isOfContents(fault) || fault.code === 'abi' || !areActionsProved) this.wrong.add(fault.blockNum);
      if (fault.code !== 'link') continue;
      this.wrong.add(fault.blockNum - 1);
      this.wrong.add(fault.blockNum);
    }
  }

  /** The stored versions around each ABI that a block sets; none for a block that cannot be decoded. */
  private async readAbis(read: BlockRead): Promise<AbisAround[]> {
    const around: AbisAround[] = [];
    for (const set of 'found' in read ? setsOf(this.next, read.found) : []) around.push(await this.abis.read(set));
    return around;
  }

  private async verifyPermissions(): Promise<void> {
    const permissions = new PermissionVerifier(this.reader, this.replay, this.options.to);
    this.isReplayWhole = await permissions.verify(this.options.signal, (fault) => this.report(fault));
  }

  private report(fault: StoredFault): void {
    this.chain.counts.faults++;
    this.options.onFault(fault);
  }

  private result(counts: VerifiedCounts): Verification {
    const { from, next, replay, isReplayWhole, hasSkippedBlocks } = this;
    const wrongBlocks = this.wrong.ranges;
    const { previous, sequences } = this.chain;
    const { next: nextSequence, received } = sequences.state;
    const isComplete = next > this.options.to && !this.options.signal.aborted;
    return {
      from,
      next,
      counts,
      wrongBlocks,
      isReplayWhole,
      hasSkippedBlocks,
      previous,
      nextSequence,
      sequences: received,
      abis: this.abis.latest,
      replay,
      lists: this.options.lists?.sections ?? [],
      isComplete,
    };
  }
}

function setsOf(blockNum: number, { transactions }: BlockTracesLookup): SetAbi[] {
  try {
    return setAbisOf(blockNum, transactions);
  } catch (error) {
    if (hasErrorCode(error, 'DECODE_FAILED')) return [];
    throw error;
  }
}
