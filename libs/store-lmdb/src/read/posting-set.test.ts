import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { chunkKey, listPrefix } from '../format/keys';
import { GrowingChunk } from '../format/posting-chunk';
import type { Tables } from '../format/tables';
import { createTables } from '../write/open-writer';
import { OpeningGate } from '../lock/opening-gate';
import { BatchCommitter } from '../write/batch-committer';
import { DataFile } from '../format/data-file';
import { DiskRoom } from '../write/disk-room';
import { WriteBatch } from '../write/write-batch';
import { PostingList, PostingSet } from './posting-set';

interface Posting {
  sequence: number;
  root: boolean;
}

/** A list's share of the chain's postings: their indices, and how many of them a chunk takes. */
interface ListPlan {
  members: boolean[];
  chunkSize: number;
}

const CHAIN_LENGTH = 120;

/** Root actions are common, rare or absent; a roots-only list then skips many chunks. */
const chain = fc
  .tuple(
    fc.constantFrom(1, 2, 40, 1000),
    fc.integer({ min: 1, max: 2 ** 33 }),
    fc.array(fc.nat(5), { minLength: CHAIN_LENGTH, maxLength: CHAIN_LENGTH }),
  )
  .map(([rootEvery, start, gaps]) => {
    let sequence = start;
    return gaps.map((gap, index): Posting => ({
      sequence: (sequence += gap + 1),
      root: index % rootEvery === rootEvery - 1,
    }));
  });

const listPlan: fc.Arbitrary<ListPlan> = fc.record({
  members: fc.array(fc.boolean(), { minLength: CHAIN_LENGTH, maxLength: CHAIN_LENGTH }),
  chunkSize: fc.integer({ min: 1, max: 30 }),
});

describe('posting lists', () => {
  let directory: string;
  let tables: Tables;

  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'posting-set-'));
    tables = createTables({ path: directory, mapSizeBytes: 0 });
  });

  afterEach(async () => {
    await tables.root.close();
    rmSync(directory, { recursive: true });
  });

  let written = 0;

  /** Writes postings as one list between two others and opens it in a new snapshot. */
  async function withLists(
    lists: { postings: Posting[]; chunkSize: number }[],
    rootsOnly: boolean,
    body: (lists: PostingList[]) => void,
  ): Promise<void> {
    const batch = new WriteBatch();
    const prefixes = lists.map(({ postings, chunkSize }) => {
      const prefix = listPrefix('alice', ++written);
      putList(batch, prefix, postings, chunkSize);
      return prefix;
    });
    await new BatchCommitter(tables, new OpeningGate(), new DiskRoom(directory, 0), new DataFile(directory)).commit(
      batch,
    );
    const snapshot = tables.root.useReadTransaction();
    try {
      body(prefixes.map((prefix) => new PostingList(tables.postings, prefix, rootsOnly, snapshot)));
    } finally {
      snapshot.done();
    }
  }

  function putList(batch: WriteBatch, prefix: Buffer, postings: Posting[], chunkSize: number): void {
    let bases = { base: 0, rootBase: 0 };
    for (let start = 0; start < postings.length; start += chunkSize) {
      const part = postings.slice(start, start + chunkSize);
      const firstSequence = part[0]?.sequence ?? 0;
      const chunk = GrowingChunk.start(firstSequence, bases.base, bases.rootBase);
      for (const { sequence, root } of part) chunk.append(sequence, root);
      batch.put(tables.postings, chunkKey(prefix, firstSequence), chunk.encode());
      bases = chunk.nextBases;
    }
  }

  const membersOf = (all: Posting[], { members }: ListPlan): Posting[] => all.filter((_, index) => members[index]);
  const sequencesOf = (postings: Posting[], rootsOnly: boolean): number[] =>
    postings.filter(({ root }) => root || !rootsOnly).map(({ sequence }) => sequence);
  /** Sequences at, between, below and above the postings. */
  const probesOf = (all: Posting[]): number[] => [
    0,
    ...all.flatMap(({ sequence }) => [sequence, sequence + 1]),
    2 ** 50,
  ];

  it('count postings and find the next one in both directions, with and without non-root actions', () =>
    fc.assert(
      fc.asyncProperty(chain, listPlan, fc.boolean(), async (all, plan, rootsOnly) => {
        const postings = membersOf(all, plan);
        const expected = sequencesOf(postings, rootsOnly);
        await withLists([{ postings, chunkSize: plan.chunkSize }], rootsOnly, ([list]) => {
          for (const probe of probesOf(all)) {
            expect(list?.rank(probe)).toBe(expected.filter((sequence) => sequence < probe).length);
            expect(list?.before(probe)).toBe(expected.findLast((sequence) => sequence < probe));
            expect(list?.from(probe)).toBe(expected.find((sequence) => sequence >= probe));
          }
        });
      }),
      { numRuns: 25 },
    ));

  it('form a union that counts shared postings once', () =>
    fc.assert(
      fc.asyncProperty(chain, listPlan, listPlan, fc.boolean(), async (all, left, right, rootsOnly) => {
        const both = { ...left, members: left.members.map((member, index) => member && right.members[index] === true) };
        const either = {
          ...left,
          members: left.members.map((member, index) => member || right.members[index] === true),
        };
        const lists = [left, right, both].map((plan) => ({
          postings: membersOf(all, plan),
          chunkSize: plan.chunkSize,
        }));
        const expected = sequencesOf(membersOf(all, either), rootsOnly);
        await withLists(lists, rootsOnly, ([first, second, common]) => {
          const set = new PostingSet([first!, second!], [common!]);
          for (const probe of probesOf(all)) {
            expect(set.rank(probe)).toBe(expected.filter((sequence) => sequence < probe).length);
          }
          const [low, high] = [all[0]!.sequence, all.at(-1)!.sequence + 1];
          for (const [rank, sequence] of expected.entries()) expect(set.select(rank, low, high)).toBe(sequence);
          const middle = all[CHAIN_LENGTH / 2]!.sequence;
          expect([...set.ascending(middle, high)]).toEqual(expected.filter((sequence) => sequence >= middle));
          expect([...set.descending(middle, low)]).toEqual(expected.filter((sequence) => sequence <= middle).reverse());
        });
      }),
      { numRuns: 25 },
    ));

  it('tell how many chunks they have read, each of which a walk reads once', async () => {
    const postings = Array.from({ length: 60 }, (_, index): Posting => ({ sequence: 10 * index, root: true }));
    const lists = [10, 20].map((chunkSize) => ({ postings, chunkSize }));
    for (const walk of ['ascending', 'descending'] as const) {
      await withLists(lists, false, (opened) => {
        const set = new PostingSet(opened);
        expect(set.chunksRead).toBe(0);
        expect([...(walk === 'ascending' ? set.ascending(0, 600) : set.descending(599, 0))]).toHaveLength(60);
        // The first list has six chunks, the second one three.
        expect(set.chunksRead).toBe(9);
      });
    }
  });

  it('select a posting in few steps, however unevenly they are spread', () => {
    const [end, dense] = [2 ** 40, 1_000_000];
    let asked = 0;
    // One posting at 0, and all others at the end of the range.
    const list: Pick<PostingList, 'rank'> = {
      rank: (sequence) => {
        asked++;
        return sequence <= 0 ? 0 : 1 + Math.max(0, sequence - (end - dense));
      },
    };
    const set = new PostingSet([list as PostingList]);
    for (const [wanted, sequence] of [
      [0, 0],
      [1, end - dense],
      [dense, end - 1],
    ] as const) {
      asked = 0;
      expect(set.select(wanted, 0, end)).toBe(sequence);
      expect(asked).toBeLessThan(100);
    }
  });
});
