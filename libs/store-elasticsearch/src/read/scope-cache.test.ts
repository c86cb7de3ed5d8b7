import type { ProgressDocument } from '../indices/documents';
import { emptyProgress } from '../indices/progress';
import { ScopeCache } from './scope-cache';

const BLOCKS = { first: 100, last: 199 };
const SCOPE = { blocks: { first: 101, last: 198 }, sequences: { start: 5_000, end: 6_000 } };

const progressAt = (clean_up_to: number, more: Partial<ProgressDocument> = {}): ProgressDocument => ({
  ...emptyProgress(100),
  clean_up_to,
  ...more,
});

describe('the cache of scopes', () => {
  it('knows clean blocks until a block is repaired', () => {
    const cache = new ScopeCache();
    cache.keep(BLOCKS, SCOPE, progressAt(199));
    expect(cache.find(BLOCKS, progressAt(500))).toBe(SCOPE);
    expect(cache.find({ first: 100, last: 150 }, progressAt(500))).toBeUndefined();
    expect(cache.find(BLOCKS, progressAt(500, { rewrites: 1 }))).toBeUndefined();
  });

  it('forgets what a query found before a repair that ended meanwhile', () => {
    const cache = new ScopeCache();
    cache.keep(BLOCKS, SCOPE, progressAt(199, { rewrites: 1 }));
    expect(cache.find(BLOCKS, progressAt(199, { rewrites: 2 }))).toBeUndefined();
  });

  it('keeps nothing that was found while a repair rewrites blocks: it may be killed, and tell no one what it has rewritten', () => {
    const cache = new ScopeCache();
    cache.keep(BLOCKS, SCOPE, progressAt(199, { rewrites: 1, rewriting: ['a repair'] }));
    expect(cache.find(BLOCKS, progressAt(199, { rewrites: 1 }))).toBeUndefined();
  });

  it('does not know blocks that a fork can replace', () => {
    const cache = new ScopeCache();
    cache.keep(BLOCKS, SCOPE, progressAt(198));
    expect(cache.find(BLOCKS, progressAt(199))).toBeUndefined();
  });
});
