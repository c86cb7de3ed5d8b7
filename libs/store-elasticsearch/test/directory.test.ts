import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import type { BlockRecords, TransactionRecord } from '@antelope-history/records';
import type { ActionsQuery, StoreReader } from '@antelope-history/store';
import {
  type ActionPlan,
  type BlockPlan,
  Comparison,
  EVERY_ACTION,
  ModelHistory,
  SyntheticChain,
} from '@antelope-history/store/contract';
import type { DirectoryBuilder } from '../src/commit/directory-builder';
import { ProgressStore, withRewriteCounted } from '../src/commit/progress-store';
import { groupTransactions, MAX_SEQUENCES } from '../src/commit/transaction-groups';
import type { ProgressDocument } from '../src/indices/documents';
import { type DirectoryDocument, type DirectoryIdsDocument, isObsolete } from '../src/indices/directory';
import { IndexProvisioner } from '../src/write/index-provisioner';
import { FaultyServer } from './faulty-server';
import { IndexedBlocks, NO_DATA_FIELDS } from './indexed-blocks';
import { RoundTrips } from './round-trips';

const FIRST_BLOCK = 100;
const BLOCKS = 80;
const PER_RANGE = 4;
/** The block whose last transaction has more actions than the directory has near it. */
const LONG_AT = 21;
/** The first block of a range, with more rows of `few` than the next range has. */
const FEW_AT = 40;
/** The last block of the last range that is clean. */
const CLEAN_UP_TO = FIRST_BLOCK + BLOCKS - 2 * PER_RANGE - 1;

/** Above the last range that is clean. */
const REPEATED_AT = 72;

/** The last block of the first range, one between, and the first block of the last range that is clean. */
const EDGES = [PER_RANGE - 1, 30, CLEAN_UP_TO + 1 - PER_RANGE - FIRST_BLOCK];

const NEWEST: ActionsQuery = { ...EVERY_ACTION, order: 'desc', limit: 20 };

describeWithService(['elasticsearch'], (url = '') => {
  describe('the directory', () => {
    let indexed: IndexedBlocks;
    let blocks: BlockRecords[];
    let comparison: Comparison;
    let progress: ProgressStore;
    let indices: IndexProvisioner;

    beforeAll(async () => {
      blocks = new SyntheticChain().blocks(undefined, Array.from({ length: BLOCKS }, planOf));
      // A young block has the id of a transaction of an old one, which is to be found.
      const [repeated, again] = [0, REPEATED_AT].map((at) => blocks[at]!.transactions[0]!) as [
        TransactionRecord,
        TransactionRecord,
      ];
      blocks[REPEATED_AT]!.transactions[0] = { ...again, id: repeated.id };
      indexed = await IndexedBlocks.open(url, PER_RANGE);
      await indexed.put(blocks);
      // The last block of the next range is not clean, so that the range is not.
      await indexed.commit({ blocks, cleanUpTo: CLEAN_UP_TO + PER_RANGE - 1 });
      comparison = new Comparison(indexed.reader, ModelHistory.of(blocks, NO_DATA_FIELDS));
      progress = new ProgressStore(indexed.client, indexed.names);
      indices = new IndexProvisioner(indexed.client, indexed.names, {
        replicas: 0,
        catchUpReplicas: 0,
        layout: 'doc-values',
      });
    }, 240_000);
    afterAll(() => indexed.dispose());

    function builder(claimMs = 0, maxTallySize = 1_000_000, client = indexed.client): DirectoryBuilder {
      return indexed.directoryBuilder({ claimMs, maxTallySize }, client);
    }

    async function buildAll(...rules: Parameters<typeof builder>): Promise<number> {
      let added = 0;
      while (await builder(...rules).addNext()) added++;
      return added;
    }

    const directoryEnd = async (): Promise<number> => (await progress.read())?.progress.directory?.to ?? 0;

    async function change(to: number): Promise<void> {
      const read = await progress.read();
      if (!read) throw new Error('no progress');
      await progress.replace(read, { ...read.progress, directory: { rewrites: read.progress.rewrites ?? 0, to } });
    }

    async function compareAll(): Promise<void> {
      for (const account of ['busy', 'rare', 'once', 'absent', undefined]) {
        for (const order of ['asc', 'desc'] as const) {
          for (const skip of [0, 300]) {
            await comparison.actions({ ...NEWEST, account, order, skip });
            await comparison.actions({ ...NEWEST, account, order, skip, filters: [{ account: 'busy', name: 'ping' }] });
            await comparison.actions({ ...NEWEST, account, order, skip, parent: 'root' });
            await comparison.actions({
              ...NEWEST,
              account,
              order,
              skip,
              after: { blockNum: 110 },
              before: { blockNum: 150 },
            });
          }
          await comparison.actions({ ...NEWEST, account, order, window: 'newest' });
        }
      }
      // The page begins with the last row of a block: the directory counts the ones before it, too.
      await comparison.actions({ ...NEWEST, account: 'few', order: 'asc', window: 'newest', limit: 2 });
      for (const account of ['busy', 'rare', 'once', 'absent']) {
        await comparison.tracesOf(account, { skip: 3, limit: 20, window: 'skip' });
        await comparison.tracesOf(account, { skip: 0, limit: 20, window: 'newest' });
      }
      for (const block of blocks.filter((_, index) => index % 8 === 0)) {
        for (const { id } of block.transactions.slice(0, 1)) {
          await comparison.transaction(id.toString('hex'));
          await comparison.transaction(id.toString('hex').slice(0, 12));
        }
      }
    }

    /** As the first query of a reader, which has to read the directory. */
    function compareFirst(query: Partial<ActionsQuery>): Promise<void> {
      const model = ModelHistory.of(blocks, NO_DATA_FIELDS);
      return new Comparison(indexed.openReader(), model).actions({ ...NEWEST, ...query });
    }

    async function documents(): Promise<Map<string, DirectoryDocument>> {
      const index = `${indexed.names.of('directory')}-*`;
      await indexed.client.indices.refresh({ index });
      const { hits } = await indexed.client.search<DirectoryDocument>({ index, size: 1_000 });
      return new Map(hits.hits.map(({ _id, _source }) => [_id ?? '', _source as DirectoryDocument]));
    }

    it('gets every clean range, and no other', async () => {
      expect(await buildAll()).toBe((CLEAN_UP_TO + 1 - FIRST_BLOCK) / PER_RANGE);
      expect(await directoryEnd()).toBe(CLEAN_UP_TO + 1);
      await compareAll();
    }, 240_000);

    it('adds to the rows of the range that is searched while it is read, and repeats none of them', async () => {
      for (const order of ['asc', 'desc'] as const) {
        await compareFirst({ account: 'edge', order });
        // One block is left before or after that range.
        for (const first of [FIRST_BLOCK + PER_RANGE - 1, FIRST_BLOCK + PER_RANGE]) {
          const bounds = { after: { blockNum: first }, before: { blockNum: first + PER_RANGE } };
          await compareFirst({ account: 'busy', order, limit: 100, ...bounds });
        }
      }
    });

    it('takes two round trips to any row the first time and one when it is known, and searches few ranges', async () => {
      const trips = new RoundTrips(indexed.client);
      const cases: [Partial<ActionsQuery>, ranges: number, depthWhenKnown: number][] = [
        [{ account: 'busy' }, 3, 1],
        [{ account: 'busy', skip: 100 }, 6, 1],
        [{ account: 'busy', skip: 500 }, 5, 2],
        [{ account: 'busy', order: 'asc', skip: 500 }, 5, 1],
        [{ account: 'rare' }, 12, 1],
        [{ account: 'once' }, 4, 1],
        [{ account: 'once', order: 'asc' }, 4, 1],
        [{ account: 'absent' }, 3, 1],
      ];
      for (const [query, ranges, depthWhenKnown] of cases) {
        const reader = indexed.openReader();
        for (const expected of [2, depthWhenKnown]) {
          const { depth, ranges: searched } = await leastCost(trips, { ...NEWEST, ...query }, reader);
          expect({ query, depth }).toEqual({ query, depth: Math.min(depth, expected) });
          expect(searched).toBeLessThanOrEqual(ranges);
        }
      }
    });

    it('is not awaited for a page that the newest ranges and the one before them fill', async () => {
      const trips = new RoundTrips(indexed.client);
      const rows = (count: number): ActionsQuery => ({ ...NEWEST, account: 'busy', limit: count });
      const { rows: newest } = await indexed.reader.getActions(rows(1_000));
      const inNewest = newest.filter(({ blockNum }) => blockNum > CLEAN_UP_TO).length;
      const inRangeBefore = newest.filter(({ blockNum }) => blockNum > CLEAN_UP_TO - PER_RANGE).length;
      const oldest = { ...rows(20), order: 'asc' } as const;
      const cases: [ActionsQuery, depth: number][] = [
        [rows(inNewest + 1), 1],
        [{ ...rows(20), skip: inRangeBefore - 21 }, 1],
        [{ ...rows(20), skip: inRangeBefore - 20 }, 2],
        [oldest, 1],
        [{ ...oldest, window: 'newest' }, 2],
      ];
      for (const [query, depth] of cases) {
        expect({ depth: (await leastCost(trips, query)).depth, query }).toEqual({ depth, query });
      }
    });

    /**
     * Without the wait for the progress, which a query on a slow machine adds when it was read too long ago. By default each try has a
     * reader without cached results.
     */
    async function leastCost(trips: RoundTrips, query: ActionsQuery, reader?: StoreReader) {
      const costs: { depth: number; ranges: number }[] = [];
      for (let tries = 0; tries < 5; tries++) {
        const own = reader ?? indexed.openReader();
        await own.getStatus();
        const { depth, indices: searched } = await trips.of(() => own.getActions(query));
        costs.push({ depth, ranges: searched.filter((index) => index.includes('-actions-')).length });
      }
      return {
        depth: Math.min(...costs.map(({ depth }) => depth)),
        ranges: Math.min(...costs.map(({ ranges }) => ranges)),
      };
    }

    it('takes two round trips to each transaction, and one more to its actions if they are many', async () => {
      const trips = new RoundTrips(indexed.client);
      const transactions = blocks.flatMap((block) => block.transactions);
      expect(transactions.length).toBeGreaterThan(200);
      const model = ModelHistory.of(blocks, NO_DATA_FIELDS);
      const costOf = async (id: string) => {
        const reader = indexed.openReader();
        await reader.getStatus();
        return trips.of(() => new Comparison(reader, model).transaction(id));
      };
      let most = 0;
      for (const { id, sequenceCount } of transactions) {
        const limit = sequenceCount > MAX_SEQUENCES ? 3 : 2;
        let cost = await costOf(id.toString('hex'));
        // On a slow machine one may wait for the progress, which was read too long ago (`leastCost`).
        for (let tries = 1; cost.depth > limit && tries < 5; tries++) cost = await costOf(id.toString('hex'));
        const { depth, requests, indices: searched } = cost;
        expect(depth).toBeLessThanOrEqual(limit);
        // The searches that begin at once are one request; one more is that for the progress.
        expect(requests).toBeLessThanOrEqual(1 + depth);
        expect(searched.filter((index) => index.includes('-bodies-')).length).toBeLessThanOrEqual(3);
        most = Math.max(most, depth);
      }
      expect(most).toBe(3);
    });

    it('may name other sequences of a transaction than it has: the actions are read alone then', async () => {
      const [index = ''] = Object.keys(
        await indexed.client.indices.get({ index: `${indexed.names.of('directory')}-*` }),
      );
      const ofRange = blocks.slice(0, PER_RANGE).flatMap((block) => block.transactions);
      const [group] = groupTransactions(FIRST_BLOCK, ofRange);
      if (group?.first_sequence === undefined) throw new Error('no group');
      const write = (document: DirectoryIdsDocument) =>
        indexed.client.index({ index, id: `ids-${FIRST_BLOCK}-0`, document, refresh: true });
      const members = ofRange.slice(0, group.ids.length);
      const wrong = [
        { ...group, first_sequence: group.first_sequence + 1 },
        { ...group, sequence_count: 1 },
      ];
      for (const document of [...wrong, group]) {
        await write(document);
        for (const { id } of members) await comparison.transaction(id.toString('hex'));
      }
    });

    it('is what pages of old ranges are found by', async () => {
      const index = (await indexed.client.indices.get({ index: `${indexed.names.of('directory')}-*` })) as object;
      const [name = ''] = Object.keys(index);
      const before = (await documents()).get('rare') as DirectoryDocument;
      const wrong = { ranges: before.ranges.map((entry) => ({ ...entry, rows: entry.rows + 1 })) };
      await indexed.client.index({ index: name, id: 'rare', document: wrong });
      const compare = (): Promise<void> => compareFirst({ account: 'rare', order: 'asc', skip: 6 });
      await expect(compare()).rejects.toThrow();
      await indexed.client.index({ index: name, id: 'rare', document: before });
      await compare();
    });

    it('may cover a few old ranges only: all newer ones are searched in the order of the list', async () => {
      await change(FIRST_BLOCK + 2 * PER_RANGE);
      for (const order of ['asc', 'desc'] as const) await compareFirst({ account: 'busy', order, skip: 300 });
      await compareAll();
      // Of a known list, too, the newest ranges come in runs, of which the first one fills the page.
      const reader = indexed.openReader();
      const busy: ActionsQuery = { ...NEWEST, account: 'busy' };
      await reader.getActions({ ...busy, skip: 10_000 });
      const { depth, ranges } = await leastCost(new RoundTrips(indexed.client), busy, reader);
      expect({ depth, ranges }).toEqual({ depth: 1, ranges: 8 });
      await change(CLEAN_UP_TO + 1);
    }, 240_000);

    it('is the same after a process died while it added a range, and with little memory', async () => {
      const whole = await documents();
      const [index = ''] = Object.keys(
        await indexed.client.indices.get({ index: `${indexed.names.of('directory')}-*` }),
      );
      await change(FIRST_BLOCK + PER_RANGE);
      for (const account of ['busy', 'once']) await indexed.client.delete({ index, id: account });
      await change(0);
      await buildAll(0, 10);
      expect(await documents()).toEqual(whole);
      await compareAll();
    }, 240_000);

    it('is left to another process that has begun, for a time', async () => {
      // Its clock may be fast.
      for (const shiftMs of [0, -120_000, 120_000]) {
        const read = await progress.read();
        if (!read) throw new Error('no progress');
        const claim = { range: FIRST_BLOCK, at: Date.now() + shiftMs };
        await progress.replace(read, { ...read.progress, directory: { rewrites: 0, to: 0, claim } });
        expect(await builder(60_000).addNext()).toBe(shiftMs !== 0);
      }
    });

    it.each([
      ['the server refused to refresh its index', '_refresh', { status: 429 }],
      ['the response to its claim was lost', '-progress/_doc/progress?if_seq_no', 'cut after'],
    ] as const)('is continued by the process that has begun a range when %s', async (_why, request, fault) => {
      const server = await FaultyServer.start(url);
      const client = new Client({ node: server.url });
      const begun = builder(3_600_000, 1_000_000, client);
      await change(0);
      let faults = 0;
      server.fault = ({ path }) => (path.includes(request) && faults++ === 0 ? fault : 'none');
      await begun.addNext().catch(() => undefined);
      expect(faults).toBeGreaterThan(0);
      expect(await begun.addNext()).toBe(true);
      await client.close();
      await server.stop();
    });

    it('is built anew after blocks were rewritten', async () => {
      await buildAll();
      const late = builder();
      await progress.change(withRewriteCounted, 'count a rewrite');
      await compareAll();
      expect((await progress.read())?.progress.directory?.rewrites).toBe(0);
      expect(await late.addNext()).toBe(true);
      await buildAll();
      expect(await directoryEnd()).toBe(CLEAN_UP_TO + 1);
      await compareAll();
      const current = (await progress.read())?.progress;
      if (!current) throw new Error('no progress');
      const count = async (): Promise<number> =>
        Object.keys(await indexed.client.indices.get({ index: `${indexed.names.of('directory')}-*` })).length;
      expect(await count()).toBe(2);
      await indices.dropDirectories((index) => isObsolete(indexed.names, index, current));
      expect(await count()).toBe(1);
      await comparison.actions({ ...NEWEST, account: 'rare' });
    }, 240_000);

    it('is not taken for lost by a process that was suspended while another one replaced it', async () => {
      await buildAll();
      const server = await FaultyServer.start(url);
      const client = new Client({ node: server.url });
      const { arrived, resume } = server.suspend(
        ({ path }) => path.includes('-directory-') && path.includes('_settings'),
      );
      const { names } = indexed;
      await change(FIRST_BLOCK + 2 * PER_RANGE);
      const adding = builder(0, 1_000_000, client).addNext();
      await arrived;
      await progress.change(withRewriteCounted, 'count a rewrite');
      await buildAll();
      const { progress: built } = (await progress.read()) ?? {};
      await indices.dropDirectories((index) => isObsolete(names, index, built as ProgressDocument));
      resume();
      expect(await adding).toBe(false);
      expect((await progress.read())?.progress.directory).toEqual(built?.directory);
      expect((await progress.read())?.progress.rewrites).toBe(built?.rewrites);
      await client.close();
      await server.stop();
    }, 240_000);

    it('makes a query that needs it fail when its index was lost', async () => {
      await indexed.client.indices.delete({
        index: Object.keys(await indexed.client.indices.get({ index: `${indexed.names.of('directory')}-*` })),
      });
      await expect(indexed.openReader().getActions({ ...NEWEST, account: 'rare' })).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
    });
  });
});

const ping = (account: string, notified: string[] = []): ActionPlan => ({
  account,
  name: 'ping',
  actor: account,
  notified,
  creatorDistance: 0,
  dataBytes: 8,
});

/** `busy` has actions in every block, `rare` in few ranges, `once` in one block. */
function planOf(_: unknown, index: number): BlockPlan {
  const transactions = Array.from({ length: 3 }, () => [
    ping('busy'),
    { ...ping('busy'), name: 'pong', creatorDistance: 1 },
    ping('busy', ['cold']),
  ]);
  if (index % 9 === 0) transactions.push([ping('rare', ['busy'])]);
  if (index === 7) transactions.push([ping('once')]);
  if (index === FEW_AT) transactions.push(...Array.from({ length: 3 }, () => [ping('few')]));
  if (EDGES.includes(index)) transactions.push([ping('edge')]);
  if (index === FEW_AT + PER_RANGE) transactions.push([ping('few')]);
  if (index === LONG_AT) transactions.push(Array.from({ length: MAX_SEQUENCES + 1 }, () => ping('long')));
  return { transactions, abis: [], permissions: [] };
}
