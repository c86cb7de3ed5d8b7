import { LRUCache } from 'lru-cache';
import type { BlockRange } from '../indices/block-ranges';
import type { ProgressDocument } from '../indices/documents';
import type { Scope } from './actions-scope';

/** An entry takes about 200 bytes. */
const MAX_KEPT = 10_000;

/**
 * Caches where the actions of old blocks begin and end. An entry is valid until a block is repaired: no fork replaces blocks that
 * are clean.
 */
export class ScopeCache {
  private readonly known = new LRUCache<string, { scope: Scope; rewrites: number }>({ max: MAX_KEPT });

  find(blocks: BlockRange, { rewrites = 0 }: ProgressDocument): Scope | undefined {
    const known = this.known.get(keyOf(blocks));
    return known?.rewrites === rewrites ? known.scope : undefined;
  }

  /** Keeps what was found by a query that reads this progress, if the blocks are clean and no repair rewrites any. */
  keep(blocks: BlockRange, scope: Scope, { rewrites = 0, rewriting, clean_up_to: cleanUpTo }: ProgressDocument): void {
    if (blocks.last <= cleanUpTo && !rewriting) this.known.set(keyOf(blocks), { scope, rewrites });
  }
}

function keyOf({ first, last }: BlockRange): string {
  return `${first}-${last}`;
}
