import type { StoredBlock } from '@antelope-history/store';
import { decodeBlockBody } from '../format/block-body';
import type { BlockIndexEntry } from '../format/block-index';
import { damagedValue } from '../format/damage';
import { blockKey } from '../format/keys';
import type { Snapshot, Tables } from '../format/tables';

/** A block without its actions; undefined when the store has none. */
export function readStoredBlock(
  tables: Tables,
  num: number,
  entry: BlockIndexEntry | undefined,
  snapshot: Snapshot,
): StoredBlock | undefined {
  const stored = entry?.hasBlock && tables.blockBodies.get(blockKey(num), { transaction: snapshot });
  if (!entry || !stored) return undefined;
  const body = decodeBlockBody(stored, entry.firstSequence);
  // A packed block begins with its time (nodeos block_header.hpp).
  if (body.block.length < 4 || body.block.readUInt32LE(0) !== entry.timestamp) throw damagedValue(`block ${num}`);
  return { position: { num, id: entry.id }, ...body };
}
