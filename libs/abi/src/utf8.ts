import { isUtf8 } from 'node:buffer';

/**
 * A contract's string as the node's JSON shows it: bytes that are not UTF-8 are left out
 * (nodeos libraries/libfc/src/utf8.cpp prune_invalid_utf8).
 */
export function utf8ToString(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : pruneInvalid(bytes);
}

function pruneInvalid(bytes: Buffer): string {
  const kept = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length;) {
    const size = sequenceSize(bytes[i]!);
    if (size > 0 && isUtf8(bytes.subarray(i, i + size)) && i + size <= bytes.length) {
      length += bytes.copy(kept, length, i, i + size);
      i += size;
    } else {
      i += 1;
    }
  }
  return kept.toString('utf8', 0, length);
}

/** How many bytes a UTF-8 sequence has by its first byte; 0 for a byte that begins none. */
function sequenceSize(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
