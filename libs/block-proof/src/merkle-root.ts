import { type Digest, DIGEST_BYTES, digestOf } from '@antelope-history/records';

/**
 * The two Merkle trees of Antelope chains; the root of no leaves is zero. Source: nodeos libraries/chain/merkle.cpp (canonical
 * pairs) and Spring libraries/chain/include/eosio/chain/merkle.hpp.
 */
export type MerkleRoot = (leaves: readonly Digest[]) => Digest;

const NO_LEAVES: Digest = '\0'.repeat(DIGEST_BYTES);
/** The first bit of a digest: 0 in a left node of a canonical pair, 1 in a right one. */
const SIDE_BIT = 0x80;

/** The tree before Savanna: the last node of an odd row is doubled, and the first bit of each node says on which side it is. */
export const canonicalMerkleRoot: MerkleRoot = (leaves) => {
  const pair = Buffer.alloc(2 * DIGEST_BYTES);
  return rootOf(leaves, (left, right = left) => {
    writePair(pair, left, right);
    pair.writeUInt8(pair.readUInt8(0) & ~SIDE_BIT, 0);
    pair.writeUInt8(pair.readUInt8(DIGEST_BYTES) | SIDE_BIT, DIGEST_BYTES);
    return digestOf(pair);
  });
};

/** The tree of Savanna: the last node of an odd row moves up unchanged. */
export const savannaMerkleRoot: MerkleRoot = (leaves) => {
  const pair = Buffer.alloc(2 * DIGEST_BYTES);
  return rootOf(leaves, (left, right) => {
    if (right === undefined) return left;
    writePair(pair, left, right);
    return digestOf(pair);
  });
};

function writePair(pair: Buffer, left: Digest, right: Digest): void {
  pair.write(left, 0, 'latin1');
  pair.write(right, DIGEST_BYTES, 'latin1');
}

/** Joins pairs row by row; `right` is undefined for the last node of an odd row. */
function rootOf(leaves: readonly Digest[], join: (left: Digest, right: Digest | undefined) => Digest): Digest {
  let row = leaves;
  while (row.length > 1) {
    const next: Digest[] = [];
    for (let index = 0; index < row.length; index += 2) next.push(join(row[index] as Digest, row[index + 1]));
    row = next;
  }
  return row[0] ?? NO_LEAVES;
}
