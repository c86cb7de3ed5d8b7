import type { BlockRecords } from '@antelope-history/records';
import type { DataAbi, StoredStreamPosition } from '../indices/documents';

/**
 * The most changes of ABIs and the most runs of blocks that are kept: the oldest ones are forgotten first. A block that is decoded with
 * another ABI because of that is not committed (`ABI_OUTDATED`), and is decoded again.
 */
const MAX_CHANGES = 1_000;
const MAX_RUNS = 2_000;

/** A block that this process has seen, and the stream position of its message. */
interface SeenBlock {
  epoch: number;
  sequence: number;
  block_num: number;
}

/** A change of a contract's ABI in such a block. */
type SeenChange = SeenBlock & DataAbi;

/** The blocks that this process has seen and that may not be committed yet: the ABIs that they set, and the blocks that they undo. */
export class SeenAbis {
  private changes: SeenChange[] = [];
  /** The first blocks of runs of consecutive blocks. Such a block undoes all that is committed from its number on. */
  private runs: SeenBlock[] = [];
  private last: SeenBlock | undefined;

  /** Adds a block. `view`: the stream position of the newest committed message. */
  addBlock(
    { position: { num }, streamPosition: { epoch, sequence } }: BlockRecords,
    { ordinal }: StoredStreamPosition,
  ): void {
    this.runs = this.runs.filter((run) => run.sequence > ordinal);
    const { last } = this;
    if (epoch === last?.epoch && sequence === last.sequence) return;
    this.last = { epoch, sequence, block_num: num };
    if (epoch !== last?.epoch || num !== last.block_num + 1) this.runs.push(this.last);
    if (this.runs.length > MAX_RUNS) this.runs.shift();
  }

  /** Adds the ABIs that a block sets, hashes by contract, in place of those that the blocks it undoes had set. */
  addAbis({ position: { num }, streamPosition }: BlockRecords, abis: Readonly<Record<string, string>>): void {
    const { epoch, sequence } = streamPosition;
    this.changes = this.changes.filter(
      (change) => change.epoch !== epoch || change.sequence > sequence || change.block_num < num,
    );
    for (const [contract, hash] of Object.entries(abis)) {
      this.changes.push({ contract, hash, block_num: num, epoch, sequence });
    }
    this.changes = this.changes.slice(-MAX_CHANGES);
  }

  /** The hash of the last ABI that a seen block between the committed head and `block` has set for a contract. */
  abiBefore(contract: string, block: BlockRecords, view: StoredStreamPosition): string | undefined {
    const isBetween = betweenCommittedAnd(block, view);
    const { num } = block.position;
    return this.changes.findLast((seen) => isBetween(seen) && seen.contract === contract && seen.block_num < num)?.hash;
  }

  /** What is committed below this number precedes `block`: the seen blocks between the committed head and it have not undone it. */
  committedEnd(block: BlockRecords, view: StoredStreamPosition): number {
    const undone = this.runs.filter(betweenCommittedAnd(block, view)).map(({ block_num: num }) => num);
    return Math.min(block.position.num, ...undone);
  }

  /** Forgets the ABIs, after a repair has replaced some. */
  forgetAbis(): void {
    this.changes = [];
  }
}

/** Whether a block was sent after the newest committed message, in the epoch of a block and not after it. */
function betweenCommittedAnd(
  { streamPosition: { epoch, sequence } }: BlockRecords,
  { ordinal }: StoredStreamPosition,
): (seen: SeenBlock) => boolean {
  return (seen) => seen.epoch === epoch && seen.sequence > ordinal && seen.sequence <= sequence;
}
