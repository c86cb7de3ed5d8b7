import type { HistoryError } from '@antelope-history/schemas';
import { describeWithService } from '@antelope-history/servers';
import { NOTHING_MISSING } from '@antelope-history/store';
import { ABIS, type BlockPlan, CONTRACT_DATA_FIELDS, DATA, MigratedStore } from '@antelope-history/store/contract';
import { testSize } from '@antelope-history/test-support/random';
import { EarlierElasticsearchStore } from './earlier-store';
import { FaultyServer } from './faulty-server';

/** A migration dies at one of so many requests; each time is a store of its own. */
const EVERY = testSize({ usual: 97, long: 3 });
const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', creatorDistance: 0, dataBytes: 8 };
const PAID: BlockPlan = {
  transactions: [
    [{ ...TRANSFER, notified: ['bob'], data: DATA[1] }],
    [{ ...TRANSFER, notified: ['bob', 'a'], data: DATA[2] }],
  ],
  abis: [],
  permissions: [],
};
const SETTING = { ...PAID, abis: [{ account: 'alice', abi: ABIS[0] as Buffer }] };
const RESETTING = { ...PAID, abis: [{ account: 'alice', abi: ABIS[1] as Buffer }] };

describeWithService(['elasticsearch'], (url) => {
  describe.each(['source', 'doc-values'] as const)('a migration of the layout %s that dies', (layout) => {
    let earlier: EarlierElasticsearchStore;

    async function begin(): Promise<MigratedStore> {
      earlier = await EarlierElasticsearchStore.open(url, layout);
      const store = new MigratedStore(earlier);
      await store.write(
        [SETTING, ...Array<BlockPlan>(14).fill(PAID), RESETTING, ...Array<BlockPlan>(14).fill(PAID)],
        0,
        [],
      );
      // They make most of the blocks irreversible, and these are cleaned.
      for (let turn = 0; turn < 2; turn++) await store.write([PAID], 0, []);
      if (layout === 'source') await earlier.becomeEarlier([]);
      return store;
    }

    /** Runs it until one of its requests, which the server executes or not; returns whether it was complete before. */
    async function dieAt(request: number, executed: boolean): Promise<boolean> {
      const server = await FaultyServer.start(url);
      let requests = 0;
      server.fault = () => {
        const at = requests++;
        return at < request ? 'none' : { status: 403, executed: executed && at === request };
      };
      try {
        const { isComplete } = await earlier.migrate(CONTRACT_DATA_FIELDS, Infinity, server.url);
        return isComplete;
      } catch (error) {
        // A writer that begins by other fields ends the migration, too.
        expect(['ACCESS_REFUSED', 'STORE_IN_USE']).toContain((error as HistoryError).code);
        return false;
      } finally {
        await server.stop();
      }
    }

    it.each([true, false])(
      'goes on where it was, whatever was written meanwhile (the last request was executed: %s)',
      async (executed) => {
        for (let request = executed ? 5 : 7; ; request += EVERY) {
          const store = await begin();
          try {
            const fields = request % 2 ? CONTRACT_DATA_FIELDS : [];
            const writing = async (): Promise<void> => {
              for (let turn = 0; turn < 3; turn++) await store.write([PAID, PAID], turn === 1 ? 4 : 0, fields);
            };
            const [isComplete] = await Promise.all([
              dieAt(request, executed),
              request % 3 === 0 ? writing() : undefined,
            ]);
            if (request % 3 === 1) await writing();
            if (request % 4 === 1) await dieAt(request >> 1, !executed);
            await expectComplete(store, request);
            if (isComplete) break;
          } finally {
            await earlier.dispose();
          }
        }
      },
      1_800_000,
    );

    async function expectComplete(store: MigratedStore, request: number): Promise<void> {
      try {
        await store.migrate();
        expect(await store.migrate()).toEqual(NOTHING_MISSING);
        await store.compare();
        await store.write([PAID, SETTING, PAID], 3, CONTRACT_DATA_FIELDS);
        await store.compare();
      } catch (error) {
        throw new Error(`died at request ${request}`, { cause: error });
      }
    }
  });
});
