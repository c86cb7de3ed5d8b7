import { ByteReader } from '@antelope-history/abi';

/** Account and name, with which the base of an action begins. */
const AUTHORIZATION_AT = 16;
const LEVEL_BYTES = 16;

/**
 * The accounts that `auth_sequence` lists in each receipt of an action: those that authorized it, each once, in ascending order of their
 * 64-bit values (nodeos action_receipt.hpp, a flat_map). Returns their offsets in `base`, the packed account, name and authorization
 * of the action.
 */
export function receiptActors(base: Buffer): number[] {
  const reader = new ByteReader(base, AUTHORIZATION_AT);
  const count = reader.varuint32();
  // Almost all actions have one.
  if (count <= 1) return count === 0 ? [] : [reader.offset];
  const offsets: number[] = [];
  for (let index = 0; index < count; index++) {
    offsets.push(reader.offset);
    reader.skip(LEVEL_BYTES);
  }
  offsets.sort((left, right) => compareNames(base, left, right));
  return offsets.filter((at, index) => index === 0 || compareNames(base, at, offsets[index - 1] as number) !== 0);
}

function compareNames(base: Buffer, left: number, right: number): number {
  return (
    base.readUInt32LE(left + 4) - base.readUInt32LE(right + 4) || base.readUInt32LE(left) - base.readUInt32LE(right)
  );
}
