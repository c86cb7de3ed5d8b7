import type { BlockRecords } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { type ChainStatus, isRemovedBlock } from '@antelope-history/store';
import { readBlockIndex, readStatus } from '../format/chain-facts';
import { nameInKey, positionInAbiKey, sequenceKey, transactionKey } from '../format/keys';
import type { Tables } from '../format/tables';
import type { TracePage } from '../format/trace-page';
import { isReplacedAbi } from './abi-versions';
import { DataListRepair } from './data-list-repair';
import { PermissionRepair } from './permission-repair';
import { putAbi } from './put-abi';
import { putBlock } from './put-block';
import { transactionsOfPage, wholePage } from './stored-actions';
import { WriteBatch } from './write-batch';
import { writeFact } from './write-facts';

/** Replaces irreversible blocks. Of the lists it changes those of data values only: all others have no contents of blocks. */
export class BlockRepair {
  private readonly permissions: PermissionRepair;

  constructor(
    private readonly tables: Tables,
    private readonly dataLists = new DataListRepair(tables),
  ) {
    this.permissions = new PermissionRepair(tables);
  }

  /**
   * The batches that replace the blocks, which are ascending, but for those that retention has removed. Commit each before the next is
   * asked for. All blocks are in one. Their permissions come after it: which of them are the newest shows by later actions, which
   * may be among the replaced ones. Throws `REPAIR_REFUSED` before the first batch.
   */
  *batches(blocks: readonly BlockRecords[]): Generator<WriteBatch> {
    const replacement = new WriteBatch();
    this.replaceBlocks(blocks, replacement);
    yield* this.dataLists.batches(replacement);
    yield replacement;
    const permissions = new WriteBatch();
    this.permissions.replace(permissions);
    yield permissions;
  }

  private replaceBlocks(blocks: readonly BlockRecords[], batch: WriteBatch): void {
    const status = readStatus(this.tables);
    const stored = blocks.filter(({ position }) => !isRemovedBlock(position.num, status));
    this.removeAbis(stored, batch);
    // A query of several snapshots that has read what is replaced here begins again.
    if (stored.length > 0) writeFact(this.tables, 'revision', status.revision + 1, batch);
    let previous: { num: number; id: string; endSequence: number } | undefined;
    for (const block of stored) {
      const { num, id } = block.position;
      assertIrreversible(num, status);
      if (previous?.num !== num - 1) {
        const before = readBlockIndex(this.tables, num - 1);
        previous = before && { num: num - 1, ...before };
      }
      assertFollows(block, previous?.id);
      const firstSequence = previous?.endSequence ?? this.firstSequenceOf(block);
      const endSequence = this.replaceBlock(block, firstSequence, batch);
      previous = { num, id, endSequence };
    }
  }

  private replaceBlock(block: BlockRecords, firstSequence: number, batch: WriteBatch): number {
    const last = block.transactions.at(-1);
    const end = last ? last.firstSequence + last.sequenceCount : firstSequence;
    const storedPages = this.removePages(firstSequence, end, batch);
    const endSequence = putBlock(this.tables, block, firstSequence, batch);
    for (const change of block.abiChanges) putAbi(this.tables, block.position.num, change, batch);
    this.permissions.add(block.permissionChanges, endSequence);
    this.dataLists.add({ block, firstSequence, endSequence, storedPages });
    return endSequence;
  }

  /** Removes the pages of a block with the keys of their transactions; returns those that are not damaged. */
  private removePages(firstSequence: number, end: number, batch: WriteBatch): TracePage[] {
    const pages: TracePage[] = [];
    const range = { start: sequenceKey(firstSequence), end: sequenceKey(end) };
    for (const { key, value } of this.tables.pages.getRange(range)) {
      batch.remove(this.tables.pages, Buffer.from(key));
      const page = wholePage(key, Buffer.from(value));
      if (!page) continue;
      for (const { id, firstSequence: first } of transactionsOfPage(page))
        batch.remove(this.tables.transactions, transactionKey(id, first));
      pages.push(page);
    }
    return pages;
  }

  /** Removes the ABIs of blocks. A wrong one can be of any contract, so all keys are read. */
  private removeAbis(blocks: readonly BlockRecords[], batch: WriteBatch): void {
    const byNum = new Map(blocks.map((block) => [block.position.num, block]));
    for (const key of this.tables.abis.getKeys()) {
      const { blockNum, sequence } = positionInAbiKey(key);
      const block = byNum.get(blockNum);
      if (block && isReplacedAbi(nameInKey(key, 0), sequence, block)) batch.remove(this.tables.abis, Buffer.from(key));
    }
  }

  /** Of the first block of the history. Without actions, only its stored entry has the sequence at which it begins. */
  private firstSequenceOf({ position, transactions }: BlockRecords): number {
    return readBlockIndex(this.tables, position.num)?.firstSequence ?? transactions[0]?.firstSequence ?? 0;
  }
}

function assertIrreversible(num: number, { committed, lastIrreversible }: ChainStatus): void {
  if (num <= Math.min(committed?.num ?? -1, lastIrreversible?.num ?? -1)) return;
  throw new HistoryError('REPAIR_REFUSED', `block ${num} is not irreversible yet`);
}

/** `parentId`: the stored block before it, or the repaired one; undefined before the first block. */
function assertFollows({ position, previous }: BlockRecords, parentId: string | undefined): void {
  if (parentId === undefined || parentId === previous?.id) return;
  throw new HistoryError(
    'REPAIR_REFUSED',
    `block ${position.num} follows ${previous?.id ?? 'nothing'}, but the block before it is ${parentId}`,
  );
}
