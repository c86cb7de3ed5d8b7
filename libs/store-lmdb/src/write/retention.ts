import { readBlockIndex, readFact, readStatus } from '../format/chain-facts';
import { blockKey, chunkKey } from '../format/keys';
import type { Tables } from '../format/tables';
import type { ActionRemoval } from './action-removal';
import type { WriteBatch } from './write-batch';
import { writeFact } from './write-facts';

/** Blocks and sequences of one removal: as long as a few writes of the indexing far behind the head. */
const MAX_BLOCKS = 1_000;
const MAX_SEQUENCES = 50_000;
/** Removals are rarer than blocks, because each reads the lists of all its accounts: about every minute at the head. */
const MIN_BLOCKS = 120;

/** Blocks from `first` to below `end`, with their sequences. */
export interface OldBlocks {
  first: number;
  end: number;
  firstSequence: number;
  endSequence: number;
}

/**
 * Keeps the newest blocks of the history and removes older ones, with their transactions and actions. The state (permissions and
 * ABIs) is kept, and so is every reversible block.
 *
 * Lists lose whole chunks. One chunk that begins below the kept blocks stays: it has the number of the postings before it, so that
 * positions in a list go on as if nothing had been removed.
 */
export class Retention {
  /** A removal takes at least this many. */
  private readonly leastBlocks: number;

  constructor(
    private readonly tables: Tables,
    private readonly retainBlocks: number,
  ) {
    this.leastBlocks = Math.min(MIN_BLOCKS, Math.ceil(retainBlocks / 10));
  }

  /** The blocks to remove next; undefined when there are none. */
  oldBlocks(): OldBlocks | undefined {
    // An unfinished migration writes lists from the first block on.
    if (this.retainBlocks === 0 || readFact(this.tables, 'migration')) return undefined;
    const { firstBlockNum: first, committed, lastIrreversible } = readStatus(this.tables);
    if (first === undefined || !committed || !lastIrreversible) return undefined;
    const wanted = Math.min(committed.num - this.retainBlocks + 1, lastIrreversible.num, first + MAX_BLOCKS);
    if (wanted - first < this.leastBlocks) return undefined;
    const firstSequence = this.sequenceAt(first);
    let end = first + 1;
    while (end < wanted && this.sequenceAt(end + 1) - firstSequence <= MAX_SEQUENCES) end++;
    return { first, end, firstSequence, endSequence: this.sequenceAt(end) };
  }

  /** Puts the removal of the blocks into the batch. */
  remove({ first, end, firstSequence, endSequence }: OldBlocks, actions: ActionRemoval, batch: WriteBatch): void {
    for (let num = first; num < end; num++) {
      batch.remove(this.tables.blockIndex, blockKey(num));
      batch.remove(this.tables.blockBodies, blockKey(num));
    }
    actions.removePages({ start: firstSequence, end: endSequence });
    for (const prefix of actions.lists) this.shorten(prefix, endSequence, batch);
    writeFact(this.tables, 'firstBlockNum', end, batch);
    writeFact(this.tables, 'hasShortenedLists', true, batch);
  }

  /**
   * Removes the chunks of a list before the last one that begins below `sequence`. That one stays, because it counts the postings
   * before it, and its block is irreversible: a fork would remove a later chunk.
   */
  private shorten(prefix: Buffer, sequence: number, batch: WriteBatch): void {
    let previous: Buffer | undefined;
    for (const key of this.tables.postings.getKeys({ start: prefix, end: chunkKey(prefix, sequence) })) {
      if (previous) batch.remove(this.tables.postings, previous);
      previous = Buffer.from(key);
    }
  }

  private sequenceAt(blockNum: number): number {
    return readBlockIndex(this.tables, blockNum)?.firstSequence ?? 0;
  }
}
