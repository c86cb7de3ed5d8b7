import fc from 'fast-check';
import { countBelow, countRoots, decodeChunk, GrowingChunk, MAX_CHUNK_POSTINGS } from './posting-chunk';

interface Posting {
  sequence: number;
  root: boolean;
}

/** Ascending, with gaps of one to many bytes. */
const postings = fc
  .array(fc.record({ gap: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.nat(2 ** 40)), root: fc.boolean() }), {
    minLength: 1,
    maxLength: 80,
    size: 'max',
  })
  .map((steps) => {
    let sequence = 0;
    return steps.map(({ gap, root }): Posting => ({ sequence: (sequence += Math.max(1, gap)), root }));
  });

const bases = fc.record({ base: fc.nat(2 ** 47), rootBase: fc.nat(2 ** 47) });

function grow(all: readonly Posting[], { base, rootBase }: { base: number; rootBase: number }): GrowingChunk {
  const chunk = GrowingChunk.start(first(all), base, rootBase);
  for (const { sequence, root } of all) chunk.append(sequence, root);
  return chunk;
}

const first = (all: readonly Posting[]): number => all[0]?.sequence ?? 0;
const rootsOf = (all: readonly Posting[]): number => all.filter(({ root }) => root).length;

describe('a chunk of postings', () => {
  it('decodes to the postings appended and the bases', () => {
    fc.assert(
      fc.property(postings, bases, (all, before) => {
        const chunk = decodeChunk(first(all), grow(all, before).encode());
        expect([...chunk.sequences]).toEqual(all.map(({ sequence }) => sequence));
        expect([...chunk.roots]).toEqual(all.map(({ root }) => Number(root)));
        expect(chunk).toMatchObject({ ...before, count: all.length, rootCount: rootsOf(all) });
      }),
    );
  });

  it('is the same whether it was reopened between appends or not', () => {
    fc.assert(
      fc.property(postings, bases, fc.nat(79), (all, before, index) => {
        const cut = Math.min(all.length, index + 1);
        const reopened = GrowingChunk.reopen(first(all), grow(all.slice(0, cut), before).encode());
        for (const { sequence, root } of all.slice(cut)) reopened.append(sequence, root);
        const whole = grow(all, before);
        expect(reopened.encode()).toEqual(whole.encode());
        expect(reopened.nextBases).toEqual(whole.nextBases);
        expect(whole.nextBases).toEqual({ base: before.base + all.length, rootBase: before.rootBase + rootsOf(all) });
      }),
    );
  });

  it('counts the postings below a sequence', () => {
    fc.assert(
      fc.property(postings, fc.nat(79), fc.integer({ min: -1, max: 1 }), (all, index, shift) => {
        const limit = (all[Math.min(all.length - 1, index)]?.sequence ?? 0) + shift;
        const below = all.filter(({ sequence }) => sequence < limit);
        const chunk = decodeChunk(first(all), grow(all, { base: 0, rootBase: 0 }).encode());
        expect(countBelow(chunk, limit)).toBe(below.length);
        expect(countRoots(chunk, below.length)).toBe(rootsOf(below));
      }),
    );
  });

  it('truncates at a sequence', () => {
    fc.assert(
      fc.property(postings, bases, fc.nat(79), (all, before, index) => {
        const limit = all[Math.min(all.length - 1, index)]?.sequence ?? 0;
        const left = all.filter(({ sequence }) => sequence < limit);
        const chunk = grow(all, before);
        expect(chunk.truncate(limit)).toBe(left.length > 0);
        if (left.length > 0) expect(chunk.encode()).toEqual(grow(left, before).encode());
      }),
    );
  });

  it('is full at its limit, which its counters can hold', () => {
    const all = Array.from({ length: MAX_CHUNK_POSTINGS }, (_, sequence) => ({ sequence, root: true }));
    expect(grow(all.slice(1), { base: 0, rootBase: 0 }).isFull).toBe(false);
    const chunk = grow(all, { base: 0, rootBase: 0 });
    expect(chunk.isFull).toBe(true);
    expect(decodeChunk(0, chunk.encode()).rootCount).toBe(MAX_CHUNK_POSTINGS);
  });
});
