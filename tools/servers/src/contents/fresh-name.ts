import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 6;

/** A unique name for indices, keys or a virtual host; `purpose` tells an administrator what it is for. */
export function createFreshName(purpose = 'test'): string {
  return `history-${purpose}-${randomBytes(RANDOM_BYTES).toString('hex')}`;
}
