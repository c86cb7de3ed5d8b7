import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { openSample, type SampleName } from '@antelope-history/test-support/recordings';
import { Chains, untilIndexed } from './chains';

const chains = new Chains();
afterAll(() => chains.close());

/** The messages of a recording, and the number of records of its final branch. */
const RECORDED: {
  sample: SampleName;
  messages: number;
  forks: number;
  blocks: number;
  transactions: number;
  actions: number;
}[] = [
  { sample: 'leap-edge', messages: 537, forks: 4, blocks: 505, transactions: 1776, actions: 2082 },
  { sample: 'leap-forks', messages: 391, forks: 3, blocks: 334, transactions: 411, actions: 427 },
  { sample: 'leap-snapshot', messages: 58, forks: 0, blocks: 57, transactions: 146, actions: 161 },
  { sample: 'eosio20-edge', messages: 298, forks: 0, blocks: 298, transactions: 1339, actions: 1633 },
  { sample: 'spring-savanna', messages: 737, forks: 3, blocks: 651, transactions: 2983, actions: 4321 },
];

describe.each(RECORDED)(
  '$sample, read from its socket',
  ({ sample, messages, forks, blocks, transactions, actions }) => {
    it(`is indexed: ${blocks} blocks, ${transactions} transactions, ${actions} actions, ${messages} messages acknowledged`, async () => {
      const node = await chains.node(sample);
      const data = chains.directory();
      const run = await chains.run({ urls: [node.url], path: data });
      await untilIndexed(run, node);
      const [connection, ...others] = node.stats.connections;
      expect(others).toEqual([]);
      expect(connection).toMatchObject({ open: true, statusRequests: 1 });
      expect(connection!.acknowledged).toBe(connection!.sent);
      expect(await run.metric('history_ship_messages_total')).toBe(messages);
      expect(await run.metric('history_indexed_blocks_total')).toBe(messages);
      expect(await run.metric('history_forks_total')).toBe(forks);
      expect(await run.metric('history_corrupt_blocks_total')).toBe(0);
      await run.stop();
      expect(run.failures).toEqual([]);
      expect(await countStored(data)).toEqual({ blocks, transactions, actions });
    });

    it('has the final branch of its recording', async () => {
      const { messages: recorded } = openSample(sample);
      const head = recorded.at(-1)!.thisBlock!;
      const node = await chains.node(sample);
      const data = chains.directory();
      const run = await chains.run({ urls: [node.url], path: data, maxMessagesInFlight: 1 });
      await untilIndexed(run, node);
      await run.stop();
      const store = await openLmdbStoreReader({ path: data, mapSizeBytes: 0 });
      expect((await store.getStatus()).committed).toEqual({ num: head.num, id: head.id });
      await store.close();
      expect(await chains.differences(sample, data)).toEqual([]);
    });
  },
);

async function countStored(data: string): Promise<{ blocks: number; transactions: number; actions: number }> {
  const store = await openLmdbStoreReader({ path: data, mapSizeBytes: 0 });
  const { firstBlockNum, committed } = await store.getStatus();
  const counts = { blocks: 0, transactions: 0, actions: 0 };
  for (let num = firstBlockNum!; num <= committed!.num; num++) {
    const lookup = await store.getBlockTraces({ num });
    expect(lookup.block!.position.num).toBe(num);
    counts.blocks++;
    counts.transactions += lookup.transactions.length;
    for (const transaction of lookup.transactions) counts.actions += transaction.actions.length;
  }
  await store.close();
  return counts;
}
