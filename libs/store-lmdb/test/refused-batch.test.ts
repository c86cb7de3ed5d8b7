import type { BlockRecords } from '@antelope-history/records';
import {
  type BlockPlan,
  Comparison,
  CONTRACT_DATA_FIELDS,
  listFaults,
  ModelHistory,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { openTemporaryStore } from './temporary-store';

/** A block with an action of the name, and a permission of the owner. */
function planOf(name: string, key: number, owner = 'alice'): BlockPlan {
  const action = { account: 'alice', name, actor: 'carol', notified: ['bob'], creatorDistance: 0, dataBytes: 8 };
  const authority = { keys: [Buffer.alloc(34, key)], actors: [] };
  return { transactions: [[action]], abis: [], permissions: [{ owner, name: 'active', authority }] };
}

describe('a batch that the store refuses while it gathers it', () => {
  it('leaves nothing behind, neither in the store nor in its writer', async () => {
    const { store, openReader, dispose } = await openTemporaryStore();
    const chain = new SyntheticChain();
    const trunk = chain.blocks(undefined, [planOf('transfer', 1), planOf('transfer', 2)]);
    await store.writeBlocks(trunk);
    const lost = chain.block(trunk[1], planOf('issue', 3, 'bob'));
    const late = chain.block(lost, planOf('issue', 4));
    const refused: BlockRecords = { ...late, transactions: trunk[0]?.transactions ?? [] };
    await expect(store.writeBlocks([lost, refused])).rejects.toMatchObject({ code: 'BLOCK_REFUSED' });
    const next = chain.blocks(trunk[1], [planOf('transfer', 5), planOf('issue', 6)]);
    await store.writeBlocks(next);
    const model = ModelHistory.of([...trunk, ...next], { dataFields: CONTRACT_DATA_FIELDS });
    const comparison = new Comparison(store, model);
    await comparison.status();
    await comparison.sampledActions(100, 1);
    await comparison.permissionsOf([...trunk, lost, late, ...next]);
    const reader = await openReader();
    expect(await listFaults(reader, 3)).toEqual([]);
    await reader.close();
    await dispose();
  });
});
