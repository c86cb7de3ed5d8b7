import fc from 'fast-check';
import type { Query } from '../client/search';
import type { BlockFields, ProgressDocument } from '../indices/documents';
import { emptyProgress } from '../indices/progress';
import { historyBlocks, onBranch, stateBlocks } from './branch-filter';

/** A chain with a fork at every height above what is clean, and blocks beyond the committed one. */
const chain = fc
  .record({ first: fc.integer({ min: 1, max: 50 }), length: fc.integer({ min: 1, max: 60 }), clean: fc.nat(120) })
  .map(({ first, length, clean }) => {
    const committed = first + length - 1;
    const cleanUpTo = Math.min(clean, committed);
    const nums = Array.from({ length: length + 5 }, (_, index) => first + index);
    const progress: ProgressDocument = {
      ...emptyProgress(10),
      first_block_num: first,
      committed: { num: committed, id: `main ${committed}` },
      clean_up_to: cleanUpTo,
      branch: nums.filter((num) => num >= cleanUpTo && num <= committed).map((num) => ({ num, id: `main ${num}` })),
    };
    const documents = nums.flatMap((num): BlockFields[] => [
      { block_num: num, block: `main ${num}` },
      ...(num > cleanUpTo ? [{ block_num: num, block: `orphan ${num}` }] : []),
    ]);
    return { progress, documents };
  });

describe('onBranch', () => {
  it('holds for the committed blocks of the range, and for nothing else', () => {
    fc.assert(
      fc.property(chain, fc.nat(130), fc.nat(130), ({ progress, documents }, one, other) => {
        const range = { first: Math.min(one, other), last: Math.max(one, other) };
        const last = Math.min(range.last, progress.committed!.num);
        const filter = onBranch(progress, range);
        expect(documents.filter((document) => holds(filter, document))).toEqual(
          documents.filter(({ block_num: num, block }) => num >= range.first && num <= last && block === `main ${num}`),
        );
      }),
    );
  });

  it('names no blocks where everything is clean', () => {
    const progress = { ...emptyProgress(10), clean_up_to: 90, committed: { num: 90, id: 'a' } };
    expect(JSON.stringify(onBranch(progress, { first: 10, last: 90 }))).not.toContain('terms');
  });
});

describe('historyBlocks and stateBlocks', () => {
  it('leave out of the history what came before its first block, and keep its state', () => {
    const progress = { ...emptyProgress(10), first_block_num: 12, committed: { num: 20, id: 'a' } };
    expect([historyBlocks(progress), stateBlocks(progress)]).toEqual([
      { first: 12, last: 20 },
      { first: 0, last: 20 },
    ]);
    expect(historyBlocks(emptyProgress(10))).toBeUndefined();
  });
});

/** What the server makes of the filters used here. */
function holds(query: Query, document: BlockFields): boolean {
  if (query.bool) return (query.bool.should as Query[]).some((each) => holds(each, document));
  if (query.terms) return (query.terms['block'] as string[]).includes(document.block);
  const { gte, lte } = query.range!['block_num'] as { gte: number; lte: number };
  return document.block_num >= gte && document.block_num <= lte;
}
