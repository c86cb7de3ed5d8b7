import { type BlockPlan, EMPTY_BLOCK, EVERY_ACTION, SyntheticChain } from '@antelope-history/store/contract';
import { openTemporaryStore } from './temporary-store';

const ONERROR = { account: 'eosio', name: 'onerror', actor: 'sender', notified: [], creatorDistance: 0, dataBytes: 8 };
const PLAN: BlockPlan = { ...EMPTY_BLOCK, transactions: [[ONERROR], [{ ...ONERROR, name: 'newaccount' }]] };

describe('eosio::onerror, which the sender of a deferred transaction receives in place of eosio', () => {
  it('is no action of eosio, whichever filter asks for it', async () => {
    const { store, dispose } = await openTemporaryStore();
    const block = new SyntheticChain().block(undefined, PLAN);
    for (const action of block.transactions[0]?.actions ?? []) action.accounts = ['sender'];
    await store.writeBlocks([block]);
    const names = async (account: string | undefined, name: string | undefined): Promise<string[]> => {
      const query = { ...EVERY_ACTION, account, filters: [{ account: 'eosio', name }], limit: 10 };
      return (await store.getActions(query)).rows.map(({ action }) => action.name);
    };
    expect(await names('eosio', 'onerror')).toEqual([]);
    expect(await names('eosio', undefined)).toEqual(['newaccount']);
    expect(await names('sender', 'onerror')).toEqual(['onerror']);
    expect(await names(undefined, undefined)).toEqual(['onerror', 'newaccount']);
    await dispose();
  });
});
