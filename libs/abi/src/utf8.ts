import { isUtf8 } from 'node:buffer';

/**
 * A contract's string as in the node's JSON, which omits bytes that are not UTF-8 (nodeos libraries/libfc/src/utf8.cpp
 * prune_invalid_utf8).
 */
export function utf8ToString(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : pruneInvalid(bytes);
}

function pruneInvalid(bytes: Buffer): string {
  const kept = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length;) {
    const size = sequenceSize(bytes, at);
    for (let i = 0; i < size; i++) kept[length++] = bytes[at + i]!;
    at += Math.max(1, size);
  }
  return kept.toString('utf8', 0, length);
}

/** Length in bytes of the UTF-8 sequence at `at`; 0 if no sequence begins there (RFC 3629, section 4). */
function sequenceSize(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  if (second < lowestSecond(lead) || second > highestSecond(lead)) return 0;
  if (lead < 0xe0) return 2;
  if (!isContinuation(bytes[at + 2])) return 0;
  if (lead < 0xf0) return 3;
  return isContinuation(bytes[at + 3]) ? 4 : 0;
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Lowest valid second byte: overlong forms are not UTF-8. */
function lowestSecond(lead: number): number {
  if (lead === 0xe0) return 0xa0;
  return lead === 0xf0 ? 0x90 : 0x80;
}

/** Highest valid second byte: surrogates and code points above U+10FFFF are not UTF-8. */
function highestSecond(lead: number): number {
  if (lead === 0xed) return 0x9f;
  return lead === 0xf4 ? 0x8f : 0xbf;
}
