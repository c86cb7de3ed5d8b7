import type { BlockRecords } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { encodeBlockBody } from '../format/block-body';
import { encodeBlockIndexEntry } from '../format/block-index';
import { blockKey, sequenceKey, transactionKey } from '../format/keys';
import type { Tables } from '../format/tables';
import { encodePages } from '../format/trace-page';
import type { WriteBatch } from './write-batch';

/** The value of a transaction: its key has all of it. */
const EMPTY_VALUE = Buffer.from([0]);

/**
 * Puts a block, its transactions and its actions into the batch, without postings and state; returns the sequence after its
 * last one. `firstSequence`: the sequence after those of the block before it. Throws `BLOCK_REFUSED` when sequences do not ascend.
 */
export function putBlock(tables: Tables, block: BlockRecords, firstSequence: number, batch: WriteBatch): number {
  const key = blockKey(block.position.num);
  let endSequence = firstSequence;
  for (const page of encodePages(block)) batch.put(tables.pages, sequenceKey(page.firstSequence), page.bytes);
  for (const transaction of block.transactions) {
    assertAscends(block, transaction.firstSequence, endSequence);
    batch.put(tables.transactions, transactionKey(transaction.id, transaction.firstSequence), EMPTY_VALUE);
    endSequence = Math.max(endSequence, transaction.firstSequence + transaction.sequenceCount);
  }
  if (block.block) batch.put(tables.blockBodies, key, encodeBlockBody(block, firstSequence));
  const entry = { id: block.position.id, timestamp: block.timestamp, firstSequence, endSequence };
  batch.put(tables.blockIndex, key, encodeBlockIndexEntry({ ...entry, hasBlock: block.block !== undefined }));
  return endSequence;
}

/** Global sequences ascend. A lower one would overwrite the records of earlier actions. */
function assertAscends({ position }: BlockRecords, sequence: number, least: number): void {
  if (sequence >= least) return;
  throw new HistoryError(
    'BLOCK_REFUSED',
    `block ${position.num} has the global sequence ${sequence}, the block before it ends at ${least}`,
  );
}
