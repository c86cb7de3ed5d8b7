import { nameToSortableBytes } from '@antelope-history/abi';
import type { BlockPosition } from '@antelope-history/records';

/*
 * Ids are made of what a document is of, so that who writes a block again writes the same documents. They are base64url of
 * whole bytes, which Lucene keeps as the bytes; equal beginnings in rising order cost it next to nothing.
 */

/** Block number and as much of the hash; divides by three, so that what is appended is encoded for itself. */
const TAG_BYTES = 12;
/** No block has as many sequences as three bytes count. */
const PLACE_BYTES = 3;

/** What the ids of a block's documents begin with. */
export function blockTag({ id }: BlockPosition): string {
  return Buffer.from(id.slice(0, TAG_BYTES * 2), 'hex').toString('base64url');
}

/** `place`: how many sequences of the block stand before the action. */
export function actionId(tag: string, place: number): string {
  const bytes = Buffer.allocUnsafe(PLACE_BYTES);
  bytes.writeUIntBE(place, 0, PLACE_BYTES);
  return tag + bytes.toString('base64url');
}

export function abiId(tag: string, account: string, sequence: number): string {
  const place = Buffer.alloc(8);
  place.writeUIntBE(sequence % 2 ** 48, 2, 6);
  place.writeUInt16BE(Math.floor(sequence / 2 ** 48), 0);
  return tag + Buffer.concat([nameToSortableBytes(account), place]).toString('base64url');
}

export function permissionId(tag: string, owner: string, name: string): string {
  return tag + Buffer.concat([nameToSortableBytes(owner), nameToSortableBytes(name)]).toString('base64url');
}
