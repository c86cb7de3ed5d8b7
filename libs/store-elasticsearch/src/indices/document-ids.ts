import { nameToSortableBytes } from '@antelope-history/abi';
import type { BlockPosition } from '@antelope-history/schemas';

/*
 * Ids are derived from what a document is about, so that writing a block again writes the same documents. They are base64url
 * of whole bytes, which Lucene stores as bytes; ascending ids with a common prefix compress well.
 */

/** The block number and 8 bytes of the hash; a multiple of three, so that a suffix is encoded independently. */
const TAG_BYTES = 12;
/** Three bytes count more sequences than any block has. */
const INDEX_BYTES = 3;

/** The prefix of the ids of a block's documents. */
export function blockTag({ id }: BlockPosition): string {
  return Buffer.from(id.slice(0, TAG_BYTES * 2), 'hex').toString('base64url');
}

/** `index`: the number of the block's sequences below the action's. */
export function actionId(tag: string, index: number): string {
  const bytes = Buffer.allocUnsafe(INDEX_BYTES);
  bytes.writeUIntBE(index, 0, INDEX_BYTES);
  return tag + bytes.toString('base64url');
}

export function abiId(tag: string, account: string, sequence: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeUIntBE(sequence % 2 ** 48, 2, 6);
  bytes.writeUInt16BE(Math.floor(sequence / 2 ** 48), 0);
  return tag + Buffer.concat([nameToSortableBytes(account), bytes]).toString('base64url');
}

export function permissionId(tag: string, owner: string, name: string): string {
  return tag + Buffer.concat([nameToSortableBytes(owner), nameToSortableBytes(name)]).toString('base64url');
}
