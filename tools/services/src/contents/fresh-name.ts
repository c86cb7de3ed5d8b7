import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 6;

/** A name that nobody else has: of indices, keys or a virtual host; `purpose` tells people what they were for. */
export function createFreshName(purpose = 'test'): string {
  return `history-${purpose}-${randomBytes(RANDOM_BYTES).toString('hex')}`;
}
