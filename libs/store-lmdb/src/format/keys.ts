import { createHash } from 'node:crypto';
import { nameToSortableBytes, readName } from '@antelope-history/abi';

/** Key layouts. Integers and names are big endian, so that keys sort as their values. */

export const MAX_SEQUENCE = Number.MAX_SAFE_INTEGER;
export const MAX_BLOCK_NUM = 0xffffffff;
/** A name in a key. */
export const NAME_BYTES = 8;
const TWO_32 = 0x100000000;

export function blockKey(blockNum: number): Buffer {
  const key = Buffer.allocUnsafe(4);
  key.writeUInt32BE(blockNum, 0);
  return key;
}

export function sequenceKey(sequence: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  writeSequence(key, 0, sequence);
  return key;
}

export function writeSequence(into: Buffer, offset: number, sequence: number): void {
  into.writeUInt32BE(Math.floor(sequence / TWO_32), offset);
  into.writeUInt32BE(sequence % TWO_32, offset + 4);
}

export function readSequence(from: Buffer, offset: number): number {
  return from.readUInt32BE(offset) * TWO_32 + from.readUInt32BE(offset + 4);
}

/** A posting list's key prefix: the account and the action kind. A chunk's key adds its first sequence. */
export const LIST_PREFIX_BYTES = 12;
export const CHUNK_KEY_BYTES = LIST_PREFIX_BYTES + 8;

export function listPrefix(account: string, kind: number): Buffer {
  const prefix = Buffer.allocUnsafe(LIST_PREFIX_BYTES);
  nameToSortableBytes(account).copy(prefix, 0);
  prefix.writeUInt32BE(kind, 8);
  return prefix;
}

export function chunkKey(prefix: Buffer, firstSequence: number): Buffer {
  const key = Buffer.allocUnsafe(CHUNK_KEY_BYTES);
  prefix.copy(key, 0);
  writeSequence(key, LIST_PREFIX_BYTES, firstSequence);
  return key;
}

export function namesKey(first: string, second: string): Buffer {
  return Buffer.concat([nameToSortableBytes(first), nameToSortableBytes(second)]);
}

/** Reads a name at an offset of a key. */
export function nameInKey(key: Buffer, offset: number): string {
  for (let index = 0; index < 8; index++) REVERSED[index] = key[offset + 7 - index] as number;
  return readName(REVERSED, 0);
}

/** Reused, because a query of a key's owners reads thousands of names. */
const REVERSED = Buffer.alloc(8);

/**
 * The key of an action kind: its contract and its action name; undefined means any. A flag distinguishes "any" from the empty
 * name, which an action can have.
 */
export function kindKey({ account, name }: { account?: string; name?: string }): Buffer {
  const wildcards = (account === undefined ? ANY_CONTRACT : 0) | (name === undefined ? ANY_NAME : 0);
  return Buffer.concat([Buffer.from([wildcards]), namesKey(account ?? '', name ?? '')]);
}

/**
 * The text that names a data field's value. `from` is the first block whose values are indexed: a field that was not indexed for a
 * while gets new lists.
 */
export function dataValueName(field: string, from: number, text: string): string {
  return `${field}\0${from}\0${text}`;
}

/** Its key. The hash keeps long texts out of the key, and 16 bytes of SHA-256 keep attackers from making two texts one. */
export function dataKindKey(valueName: string): Buffer {
  const hash = createHash('sha256').update(valueName).digest();
  return Buffer.concat([Buffer.from([DATA_VALUE]), hash.subarray(0, 16)]);
}

const ANY_CONTRACT = 1;
const ANY_NAME = 2;
const DATA_VALUE = 4;

export function namesInKindKey(key: Buffer): { account: string; name: string } {
  return { account: nameInKey(key, 1), name: nameInKey(key, 9) };
}

/** Transactions are keyed by the first 8 bytes of their id; longer prefixes are compared with the record. */
export const ID_PREFIX_BYTES = 8;

export function transactionKey(id: Buffer, firstSequence: number): Buffer {
  const key = Buffer.allocUnsafe(ID_PREFIX_BYTES + 8);
  id.copy(key, 0, 0, ID_PREFIX_BYTES);
  writeSequence(key, ID_PREFIX_BYTES, firstSequence);
  return key;
}

export function abiKey(account: string, blockNum: number, sequence: number): Buffer {
  const key = Buffer.allocUnsafe(20);
  nameToSortableBytes(account).copy(key, 0);
  key.writeUInt32BE(blockNum, 8);
  writeSequence(key, 12, sequence);
  return key;
}

export function positionInAbiKey(key: Buffer): { blockNum: number; sequence: number } {
  return { blockNum: key.readUInt32BE(8), sequence: readSequence(key, 12) };
}
