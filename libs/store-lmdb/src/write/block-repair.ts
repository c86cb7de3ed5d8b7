import type { BlockRecords } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
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

  /** Puts the blocks, ascending, into the batch. Throws `REPAIR_REFUSED`. */
  replaceBlocks(blocks: readonly BlockRecords[], batch: WriteBatch): void {
    let previous: { num: number; id: string; endSequence: number } | undefined;
    for (const block of blocks) {
      const { num, id } = block.position;
      this.assertIrreversible(num);
      if (previous?.num !== num - 1) {
        const stored = readBlockIndex(this.tables, num - 1);
        previous = stored && { num: num - 1, ...stored };
      }
      assertFollows(block, previous?.id);
      const firstSequence = previous?.endSequence ?? block.transactions[0]?.firstSequence ?? 0;
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

  private assertIrreversible(num: number): void {
    const { committed, lastIrreversible } = readStatus(this.tables);
    if (num <= Math.min(committed?.num ?? -1, lastIrreversible?.num ?? -1)) return;
    throw new HistoryError('REPAIR_REFUSED', `block ${num} is not irreversible yet`);
  }
}

/** `parentId`: the stored block before it, or the repaired one; undefined before the first block. */
function assertFollows({ position, previous }: BlockRecords, parentId: string | undefined): void {
  if (parentId === undefined || parentId === previous?.id) return;
  throw new HistoryError(
    'REPAIR_REFUSED',
    `block ${position.num} follows ${previous?.id ?? 'nothing'}, but the block before it is ${parentId}`,
  );
}
