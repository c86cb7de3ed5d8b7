import type { SetDigest } from '@antelope-history/store';
import { LIST_PREFIX_BYTES } from '../format/keys';

/** A posting as one number: its root flag is the lowest bit. Exact, as sequences stay far below 2^52. */
export function postingCode(sequence: number, root: boolean): number {
  return sequence * 2 + (root ? 1 : 0);
}

/** Two 32-bit hashes. */
export type Hash = readonly [low: number, high: number];

const TWO_32 = 0x100000000;
const SEEDS: Hash = [0x243f6a88, 0x85a308d3];

export function emptyDigest(): SetDigest {
  return { count: 0, low: 0, high: 0 };
}

/** Adds a number below 2^53 of the set that `prefix` names. */
export function addToDigest(digest: SetDigest, prefix: Hash, value: number): void {
  const upper = Math.floor(value / TWO_32);
  digest.count++;
  digest.low = (digest.low + mixed(mixed(prefix[0], value | 0), upper)) | 0;
  digest.high = (digest.high + mixed(mixed(prefix[1], value | 0), upper)) | 0;
}

export function equalDigests(left: SetDigest, right: SetDigest): boolean {
  return left.count === right.count && left.low === right.low && left.high === right.high;
}

/** The hash of a posting list by its key prefix, or of a transaction's id prefix. */
export function hashOfPrefix(key: Buffer, bytes = LIST_PREFIX_BYTES): Hash {
  let [low, high] = SEEDS;
  for (let at = 0; at < bytes; at += 4) {
    const word = key.readInt32BE(at);
    low = mixed(low, word);
    high = mixed(high, word);
  }
  return [low, high];
}

/** Mixes a word into a hash so that each bit of either changes about half of the result (the finalizer of MurmurHash3). */
function mixed(hash: number, word: number): number {
  let mix = Math.imul(hash ^ word, 0x9e3779b1);
  mix = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return mix ^ (mix >>> 16);
}
