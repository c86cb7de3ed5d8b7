import fc from 'fast-check';
import type { BlockRecords } from '@antelope-history/records';
import type { BlockPosition } from '@antelope-history/schemas';
import {
  type BlockPlan,
  CONTRACT_DATA_FIELDS,
  EMPTY_BLOCK,
  ModelHistory,
  SimulatedReader,
  SyntheticChain,
} from '@antelope-history/store/contract';
import type { JournalDocument, ProgressDocument } from '../indices/documents';
import { emptyProgress, statusOf } from '../indices/progress';
import { journalEntryOf } from '../write/block-documents';
import { settledUpTo, cleanedUpTo } from './branch-cleaner';
import { ChainOrder, type JournalExcerpt } from './chain-order';

const RULES = { settleBlocks: 3 };

/** What an indexer says of a block without a contract that has indexed fields. */
const INDEXED = { data_fields: CONTRACT_DATA_FIELDS };

/** A journal in memory and the blocks committed from it. */
class Journal {
  progress: ProgressDocument = emptyProgress(10);
  private readonly entries: JournalDocument[] = [];
  private readonly committedIds = new Set<string>();

  add(entry: JournalDocument): void {
    this.entries.push(entry);
  }

  commit(): void {
    const order = new ChainOrder(this.progress);
    const isStored = ({ id }: BlockPosition): boolean => this.committedIds.has(id);
    try {
      while (order.advance(this.above(order), isStored));
    } finally {
      this.progress = cleaned(order.moved());
      for (const { position } of order.applied) this.committedIds.add(position.id);
    }
  }

  private consecutiveFrom(first: JournalDocument): JournalDocument[] {
    const epoch: JournalDocument[] = [];
    for (let next: JournalDocument | undefined = first; next;) {
      epoch.push(next);
      const after: number = next.ordinal + 1;
      next = this.entries.find(({ session, ordinal }) => session === first.session && ordinal === after);
    }
    return epoch;
  }

  private above({ position }: ChainOrder): JournalExcerpt {
    const later = this.entries.filter(({ session }) => session > position.session);
    const byOrdinal = (left: JournalDocument, right: JournalDocument): number => left.ordinal - right.ordinal;
    const firsts = later.filter(({ first }) => first).sort((left, right) => byOrdinal(right, left));
    return {
      later: firsts.map((first) => this.consecutiveFrom(first)),
      following: this.entries
        .filter(({ session, ordinal }) => session === position.session && ordinal > position.ordinal)
        .sort(byOrdinal),
      hasLaterEpoch: later.length > 0,
      hasMore: false,
    };
  }
}

function cleaned(progress: ProgressDocument): ProgressDocument {
  const { committed: position, head, last_irreversible: irreversible, clean_up_to: from } = progress;
  if (!position || !head || !irreversible) return progress;
  const upTo = settledUpTo({ position, head, irreversible }, RULES);
  return upTo > from ? cleanedUpTo(progress, upTo) : progress;
}

/** Messages in transit from a reader to a journal: they arrive in any order, or never. */
class Way {
  readonly reader = new SimulatedReader();
  readonly journal = new Journal();
  private readonly inFlight: JournalDocument[] = [];
  private mayStall = false;

  restart(): void {
    this.mayStall = false;
    this.reader.restart(this.journal.progress.branch);
  }

  read(count: number): void {
    this.inFlight.push(...this.reader.read(count).map((block) => journalEntryOf(block, INDEXED)));
  }

  arrive(count: number, chance: number): void {
    for (const _ of this.inFlight.slice(0, count)) {
      const [entry] = this.inFlight.splice((chance * 7) % this.inFlight.length, 1);
      this.journal.add(entry as JournalDocument);
      // Some messages are delivered twice.
      if (chance % 5 === 0) this.inFlight.push(entry as JournalDocument);
    }
  }

  lose(chance: number): void {
    const lost = this.inFlight.splice(chance % Math.max(1, this.inFlight.length), 1);
    if (lost.length > 0) this.mayStall = true;
  }

  /** Delivers everything. Lost messages need the chain to be read again. */
  finish(): void {
    if (this.mayStall) this.restart();
    this.reader.grow(plans(2));
    this.read(Infinity);
    this.arrive(Infinity, 1);
    this.journal.commit();
  }
}

const PING = { account: 'hot', name: 'ping', actor: 'hot', notified: [], creatorDistance: 0, dataBytes: 8 };

const plans = (count: number): BlockPlan[] => Array<BlockPlan>(count).fill(EMPTY_BLOCK);

type Step = (way: Way) => void;

const few = fc.integer({ min: 1, max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  few.map(
    (count): Step =>
      ({ reader }) =>
        reader.grow(plans(count)),
  ),
  fc.tuple(few, few).map(
    ([depth, count]): Step =>
      ({ reader }) =>
        reader.fork(depth, plans(count)),
  ),
  few.map(
    (depth): Step =>
      ({ reader }) =>
        reader.makeIrreversible(depth),
  ),
  {
    weight: 3,
    arbitrary: few.map(
      (count): Step =>
        (way) =>
          way.read(count),
    ),
  },
  fc.constant<Step>(({ reader }) => reader.reconnect()),
  fc.constant<Step>((way) => way.restart()),
  {
    weight: 3,
    arbitrary: fc.tuple(few, fc.nat(100)).map(
      ([count, chance]): Step =>
        (way) =>
          way.arrive(count, chance),
    ),
  },
  { weight: 3, arbitrary: fc.constant<Step>(({ journal }) => journal.commit()) },
  fc.nat(100).map(
    (chance): Step =>
      (way) =>
        way.lose(chance),
  ),
);

describe('the order of the chain', () => {
  /** A branch of five blocks, the second of them irreversible. */
  function begun(): { journal: Journal; trunk: BlockRecords[]; made: SyntheticChain } {
    const made = new SyntheticChain();
    const journal = new Journal();
    const trunk = made.blocks(undefined, plans(5));
    trunk[4] = { ...(trunk[4] as BlockRecords), lastIrreversible: (trunk[1] as BlockRecords).position };
    for (const [index, block] of trunk.entries()) journal.add(messageOf(block, 10, 10 + index));
    journal.commit();
    expect(journal.progress.committed).toEqual(trunk[4].position);
    return { journal, trunk, made };
  }

  const messageOf = (block: BlockRecords, epoch: number, sequence: number): JournalDocument =>
    journalEntryOf({ ...block, streamPosition: { epoch, sequence } }, INDEXED);

  it('refuses a message that does not follow, and keeps those before it', () => {
    const { journal, trunk, made } = begun();
    const next = made.block(trunk[4], EMPTY_BLOCK);
    const other = made.block(next, EMPTY_BLOCK);
    journal.add(messageOf(next, 10, 15));
    journal.add(messageOf(made.block(other, EMPTY_BLOCK), 10, 16));
    expect(() => journal.commit()).toThrow(expect.objectContaining({ code: 'BLOCK_GAP' }));
    expect(journal.progress.committed).toEqual(next.position);
  });

  it('refuses a message that was indexed by a data field that the writers do not have any more', () => {
    const { journal, trunk, made } = begun();
    const [next, second] = made.blocks(trunk[4], plans(2)) as [BlockRecords, BlockRecords];
    journal.progress.writer_fields = { keys: CONTRACT_DATA_FIELDS.slice(1) };
    journal.add({ ...messageOf(next, 10, 15), data_fields: CONTRACT_DATA_FIELDS.slice(2) });
    journal.add(messageOf(second, 10, 16));
    expect(() => journal.commit()).toThrow(expect.objectContaining({ code: 'ABI_OUTDATED' }));
    expect(journal.progress.committed).toEqual(next.position);
  });

  it('refuses a contradiction of an irreversible block, and accepts a known block again', () => {
    const { journal, trunk, made } = begun();
    journal.add(messageOf(trunk[0] as BlockRecords, 10, 15));
    journal.add(messageOf(made.block(trunk[0], EMPTY_BLOCK), 10, 16));
    expect(() => journal.commit()).toThrow(expect.objectContaining({ code: 'FORK_TOO_DEEP' }));
    expect(journal.progress).toMatchObject({ committed: trunk[4]?.position, view: { ordinal: 15 } });
  });

  it('waits when a later epoch has begun, and continues with it when it connects', () => {
    const { journal, trunk, made } = begun();
    const [next, second] = made.blocks(trunk[4], plans(2));
    journal.add(messageOf(made.block(made.block(trunk[1], EMPTY_BLOCK), EMPTY_BLOCK), 10, 15));
    journal.add(messageOf(second as BlockRecords, 20, 21));
    journal.commit();
    expect(journal.progress.committed).toEqual(trunk[4]?.position);
    journal.add(messageOf(next as BlockRecords, 20, 20));
    journal.commit();
    expect(journal.progress).toMatchObject({ committed: second?.position, view: { session: 20, ordinal: 21 } });
  });

  it('stays with the current epoch while a later one only repeats the branch', () => {
    const { journal, trunk, made } = begun();
    journal.add(messageOf(trunk[3] as BlockRecords, 20, 20));
    journal.add(messageOf(trunk[4] as BlockRecords, 20, 21));
    journal.commit();
    const [next, second] = made.blocks(trunk[4], plans(2));
    journal.add(messageOf(next as BlockRecords, 10, 15));
    journal.commit();
    expect(journal.progress).toMatchObject({ committed: next?.position, view: { session: 10, ordinal: 15 } });
    journal.add(messageOf(next as BlockRecords, 20, 22));
    journal.add(messageOf(second as BlockRecords, 20, 23));
    journal.commit();
    expect(journal.progress).toMatchObject({ committed: second?.position, view: { session: 20, ordinal: 23 } });
  });

  it('lists the branch from the newest block that can be cleaned, which is irreversible and old', () => {
    const { journal, trunk, made } = begun();
    expect(journal.progress.clean_up_to).toBe(trunk[1]?.position.num);
    const irreversible = trunk[3]?.position;
    const fork = made.blocks(trunk[3], plans(3), irreversible);
    for (const [index, block] of fork.slice(0, 2).entries()) journal.add(messageOf(block, 10, 15 + index));
    journal.commit();
    expect(journal.progress.clean_up_to).toBe(trunk[2]?.position.num);
    journal.add(messageOf(fork[2] as BlockRecords, 10, 17));
    journal.commit();
    expect(journal.progress.clean_up_to).toBe(irreversible?.num);
    expect(journal.progress.branch[0]).toEqual(irreversible);
  });

  it('tells the newest block that has set an ABI, and where the actions end, also after blocks with none', () => {
    const { journal, trunk, made } = begun();
    const setting = { ...EMPTY_BLOCK, transactions: [[PING]], abis: [{ account: 'hot', abi: Buffer.from('an ABI') }] };
    const [next, second] = made.blocks(trunk[4], [setting, EMPTY_BLOCK]) as [BlockRecords, BlockRecords];
    for (const [index, block] of [next, second].entries()) journal.add(messageOf(block, 10, 15 + index));
    journal.commit();
    expect(journal.progress.abis_changed).toEqual({ block_num: next.position.num, ordinal: 16 });
    expect(journal.progress.end_sequence).toBe((next.transactions[0]?.firstSequence ?? 0) + 1);
  });

  it('undoes with a block the ABI that it has set of an indexed contract, and counts the fork', () => {
    const { journal, trunk, made } = begun();
    const next = made.block(trunk[4], EMPTY_BLOCK);
    journal.add({ ...messageOf(next, 10, 15), data_abis: { before: {}, after: { alice: 'an ABI' } } });
    journal.commit();
    expect(journal.progress.data_abis).toEqual([{ contract: 'alice', block_num: next.position.num, hash: 'an ABI' }]);
    const { revision } = journal.progress;
    journal.add(messageOf(made.block(trunk[4], EMPTY_BLOCK), 10, 16));
    journal.commit();
    expect(journal.progress).toMatchObject({ data_abis: [], revision: revision + 1 });
  });

  it("ends with the node's chain, whatever the order of messages, with epochs that overtake each other", async () => {
    let forks = 0;
    await fc.assert(
      // The size is the lengths that are tried: by default at most ten steps, in which hardly a block is undone.
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
        const way = new Way();
        way.reader.grow(plans(3));
        for (const take of steps) {
          const before = way.journal.progress;
          take(way);
          expectNoStepBack(before, way.journal.progress);
        }
        way.finish();
        const { revision } = way.journal.progress;
        forks += revision;
        const expected = await ModelHistory.of(way.reader.chain).getStatus();
        expect(statusOf(way.journal.progress)).toEqual({ ...expected, revision });
      }),
      { numRuns: 300 },
    );
    expect(forks).toBeGreaterThan(30);
  });
});

/** The branch has no gap; view, last irreversible block and clean_up_to never fall; undone forks are counted. */
function expectNoStepBack(before: ProgressDocument, after: ProgressDocument): void {
  const numbers = after.branch.map(({ num }) => num);
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  expect(after.branch.at(-1)).toEqual(after.committed);
  expect(after.view.ordinal).toBeGreaterThanOrEqual(before.view.ordinal);
  expect(after.last_irreversible?.num ?? 0).toBeGreaterThanOrEqual(before.last_irreversible?.num ?? 0);
  expect(after.clean_up_to).toBeGreaterThanOrEqual(before.clean_up_to);
  const isLost = ({ num, id }: BlockPosition): boolean =>
    num > after.clean_up_to && !after.branch.some((block) => block.id === id);
  if (before.branch.some(isLost)) expect(after.revision).toBeGreaterThan(before.revision);
}
