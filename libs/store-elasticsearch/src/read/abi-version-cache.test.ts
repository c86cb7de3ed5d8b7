import { emptyProgress } from '../indices/progress';
import { AbiVersionCache, type AbiVersionHit } from './abi-version-cache';

const at = (num: number) => ({ num, id: num.toString(16).padStart(64, '0') });

/** A progress at a block; `changed`: the newest block that set an ABI. */
function progressAt(num: number, changed: number, more: object = {}) {
  const view = { session: 1, ordinal: num };
  return {
    ...emptyProgress(100),
    committed: at(num),
    view,
    abis_changed: { block_num: changed, ordinal: num },
    ...more,
  };
}

function version(blockNum: number, sequence: number): AbiVersionHit {
  return { account: 'game', blockNum, sequence, hash: `${blockNum} ${sequence}`, index: 'abis', id: 'id' };
}

describe('the cache of ABI versions', () => {
  const limit = (blockNum: number, sequence = 1_000) => ({ account: 'game', blockNum, sequence });
  const versions = new Map([['game', [version(20, 7), version(10, 3)]]]);

  function cacheAt(num: number): AbiVersionCache {
    const cache = new AbiVersionCache();
    cache.keep(['game', 'none'], versions, progressAt(num, 20));
    return cache;
  }

  it('tells the version in force at any position, and where there is none', () => {
    const cache = cacheAt(30);
    const found = (blockNum: number, sequence?: number) =>
      cache.find(limit(blockNum, sequence), progressAt(30, 20))?.version?.blockNum;
    expect([found(30), found(20, 7), found(20, 6), found(10, 3)]).toEqual([20, 20, 10, 10]);
    expect(cache.find(limit(9), progressAt(30, 20))).toEqual({ version: undefined });
    expect(cache.find({ ...limit(30), account: 'none' }, progressAt(30, 20))).toEqual({ version: undefined });
    expect(cache.find({ ...limit(30), account: 'other' }, progressAt(30, 20))).toBeUndefined();
  });

  it('knows later blocks as long as none of them set an ABI', () => {
    const cache = cacheAt(30);
    expect(cache.find(limit(45), progressAt(50, 20))?.version?.blockNum).toBe(20);
    expect(cache.find(limit(45), progressAt(50, 40))).toBeUndefined();
    expect(cache.find(limit(30), progressAt(50, 40))?.version?.blockNum).toBe(20);
  });

  it('shows a state that is older than what it knows no later version', () => {
    expect(cacheAt(30).find(limit(20), progressAt(15, 10))?.version?.blockNum).toBe(10);
  });

  it('knows nothing after a fork, a rewrite, or a commit that did not tell whether it sets ABIs', () => {
    const cache = cacheAt(30);
    expect(cache.find(limit(30), progressAt(30, 20, { revision: 1 }))).toBeUndefined();
    expect(cache.find(limit(30), progressAt(30, 20, { rewrites: 1 }))).toBeUndefined();
    expect(cache.find(limit(45), progressAt(50, 20, { abis_changed: { block_num: 20, ordinal: 49 } }))).toBeUndefined();
    expect(cache.find(limit(45), progressAt(50, 20, { abis_changed: undefined }))).toBeUndefined();
  });

  it('keeps nothing of what is read while a repair rewrites blocks', () => {
    const cache = cacheAt(30);
    const rewriting = progressAt(30, 20, { rewrites: 1, rewriting: ['a repair'] });
    cache.keep(['game'], versions, rewriting);
    expect(cache.find(limit(30), rewriting)).toBeUndefined();
    cache.keep(['game'], versions, progressAt(30, 20, { rewrites: 2 }));
    expect(cache.find(limit(30), progressAt(30, 20, { rewrites: 2 }))?.version?.blockNum).toBe(20);
  });
});
