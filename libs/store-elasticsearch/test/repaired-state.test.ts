import { describeWithService } from '@antelope-history/servers';
import {
  ABIS,
  type BlockPlan,
  Comparison,
  DATA,
  ModelHistory,
  SimulatedReader,
} from '@antelope-history/store/contract';
import { openElasticsearchStoreRepairer } from '../src/writer';
import { TemporaryStore } from './temporary-store';

jest.setTimeout(60_000);

const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', notified: [], creatorDistance: 0, dataBytes: 0 };
const PAID: BlockPlan = { transactions: [[{ ...TRANSFER, data: DATA[1] }]], abis: [], permissions: [] };
const AUTHORITY = { keys: [Buffer.alloc(34, 1)], actors: ['carol'] };
const OWNERS = ['eosio', 'eosio.null', 'eosio.prods', 'alice'];

describeWithService(['elasticsearch'], (url = '') => {
  it('a repair keeps the state of a snapshot that the node of the repair does not send', async () => {
    const store = await TemporaryStore.open(url);
    const reader = new SimulatedReader();
    const permissions = OWNERS.map((owner) => ({ owner, name: 'owner', authority: AUTHORITY }));
    reader.grow([{ ...PAID, permissions, abis: [{ account: 'alice', abi: ABIS[0] as Buffer }] }, PAID, PAID]);
    const last = reader.chain.at(-1);
    reader.chain = reader.chain.map((block) => ({
      ...block,
      abiChanges: block.abiChanges.map((change) => ({ ...change, sequence: 0 })),
      lastIrreversible: last?.position ?? block.position,
    }));
    await store.store.writeBlocks(reader.read(Infinity));
    const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}));
    const withoutState = reader.chain.slice(0, 1).map((block) => ({ ...block, abiChanges: [], permissionChanges: [] }));
    await repairer.repairBlocks(withoutState);
    await repairer.close();
    const comparison = new Comparison(store.store, ModelHistory.of(reader.chain));
    await comparison.everyDataValue();
    await comparison.abisOf(reader.chain);
    await comparison.permissionsOf(reader.chain);
    await store.dispose();
  });
});
