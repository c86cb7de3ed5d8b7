import type { BlockRecords } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { type ChainStatus, isRemovedBlock } from '@antelope-history/store';
import { readBlockIndex, readStatus } from '../format/chain-facts';
import { abiKey, sequenceKey } from '../format/keys';
import type { Tables } from '../format/tables';
import { PermissionRepair } from './permission-repair';
import { putAbi } from './put-abi';
import { putBlock } from './put-block';
import type { WriteBatch } from './write-batch';

/** Replaces irreversible blocks. Posting lists stay as they are: they have the sequences of actions and none of their contents. */
export class BlockRepair {
  private readonly permissions: PermissionRepair;

  constructor(private readonly tables: Tables) {
    this.permissions = new PermissionRepair(tables);
  }

  /** Puts the blocks, ascending, into the batch, but for those that retention has removed. Throws `REPAIR_REFUSED`. */
  replaceBlocks(blocks: readonly BlockRecords[], batch: WriteBatch): void {
    const status = readStatus(this.tables);
    let previous: { num: number; id: string; endSequence: number } | undefined;
    for (const block of blocks) {
      const { num, id } = block.position;
      if (isRemovedBlock(num, status)) continue;
      assertIrreversible(num, status);
      if (previous?.num !== num - 1) {
        const stored = readBlockIndex(this.tables, num - 1);
        previous = stored && { num: num - 1, ...stored };
      }
      assertFollows(block, previous?.id);
      const firstSequence = previous?.endSequence ?? this.firstSequenceOf(block);
      const endSequence = this.replaceBlock(block, firstSequence, batch);
      previous = { num, id, endSequence };
    }
  }

  /** Puts the permissions of the blocks into the batch, which are committed. */
  replacePermissions(batch: WriteBatch): void {
    this.permissions.replace(batch);
  }

  private replaceBlock(block: BlockRecords, firstSequence: number, batch: WriteBatch): number {
    const last = block.transactions.at(-1);
    const end = last ? last.firstSequence + last.sequenceCount : firstSequence;
    const range = { start: sequenceKey(firstSequence), end: sequenceKey(end) };
    for (const key of this.tables.pages.getKeys(range)) batch.remove(this.tables.pages, Buffer.from(key));
    const endSequence = putBlock(this.tables, block, firstSequence, batch);
    this.replaceAbis(block, batch);
    this.permissions.add(block.permissionChanges, endSequence);
    return endSequence;
  }

  private replaceAbis({ position: { num }, abiChanges }: BlockRecords, batch: WriteBatch): void {
    for (const { account } of abiChanges) {
      const range = { start: abiKey(account, num, 0), end: abiKey(account, num + 1, 0) };
      for (const key of this.tables.abis.getKeys(range)) batch.remove(this.tables.abis, Buffer.from(key));
    }
    for (const change of abiChanges) putAbi(this.tables, num, change, batch);
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
