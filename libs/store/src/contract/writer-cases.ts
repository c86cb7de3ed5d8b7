import { describe, expect, it } from '@jest/globals';
import type { BlockRecords } from '@antelope-history/records';
import type { ErrorCode } from '@antelope-history/schemas';
import type { HistoryStore } from './join-store';
import { KEYS } from './block-plans';
import { Comparison } from './comparison';
import { EVERY_ACTION } from './every-action';
import { ModelHistory } from './model-history';
import type { ActionPlan } from './packed-action';
import type { StoreContract } from './store-under-test';
import { EMPTY_BLOCK, SyntheticChain, type BlockPlan } from './synthetic-chain';
import { ReaderSessions } from './reader-sessions';
import { withStore } from './with-store';

const TRANSFER: ActionPlan = {
  account: 'token',
  name: 'transfer',
  actor: 'alice',
  notified: ['bob'],
  creatorDistance: 0,
  dataBytes: 32,
};

const ACTIVE = { owner: 'alice', name: 'active' };

/** The content of each block: it touches every table, so that one block too many or too few shows in every query. */
const BUSY_BLOCK: BlockPlan = {
  transactions: [[TRANSFER], [TRANSFER, { ...TRANSFER, creatorDistance: 1 }]],
  abis: [{ account: 'token', abi: Buffer.from('an ABI') }],
  permissions: [{ ...ACTIVE, authority: { keys: KEYS.slice(0, 1), actors: ['bob'] } }],
};

/** As busy as a block that sets no ABI, whatever branch it is on. */
const STATE_BLOCK: BlockPlan = { ...BUSY_BLOCK, abis: [] };

/** A block that gives a permission another key. */
function withKey(index: number): BlockPlan {
  const authority = { keys: KEYS.slice(index, index + 1), actors: [] };
  return { ...EMPTY_BLOCK, permissions: [{ ...ACTIVE, authority }] };
}

/** The blocks that a writer accepts and refuses; a refusal changes nothing. */
export function describeWriter(contract: StoreContract): void {
  describe('the writer', () => {
    const written = (body: (at: Written) => Promise<void>): Promise<void> =>
      withStore(contract, async ({ store }) => {
        const at = new Written(store);
        await at.write(at.chain.blocks(undefined, Array<BlockPlan>(6).fill(BUSY_BLOCK)));
        await body(at);
        await at.compare();
      });

    it('starts empty', () =>
      withStore(contract, async ({ store }) => {
        const comparison = new Comparison(store, new ModelHistory());
        await comparison.status();
        await comparison.progress(store);
        await comparison.sampledActions(20, 1);
        await comparison.block('latest');
        await comparison.block({ num: 1 });
        await comparison.transaction('0'.repeat(8));
      }));

    it('refuses a block that skips a number', () =>
      written(async (at) => {
        await at.refuse(at.chain.blocks(at.block(-1), [EMPTY_BLOCK, BUSY_BLOCK]).slice(1), 'BLOCK_GAP');
      }));

    it('refuses a next block with another parent', () =>
      written(async (at) => {
        const stranger = at.chain.block(at.block(-2), EMPTY_BLOCK);
        await at.refuse([at.chain.block(stranger, BUSY_BLOCK)], 'BLOCK_GAP');
      }));

    it('undoes nothing for a fork whose parent it does not have', () =>
      written(async (at) => {
        const stranger = at.chain.block(at.block(-4), EMPTY_BLOCK);
        await at.refuse([at.chain.block(stranger, BUSY_BLOCK)], 'BLOCK_GAP');
      }));

    it('refuses to undo an irreversible block, and undoes the one after it', () =>
      written(async (at) => {
        const irreversible = at.block(3);
        await at.write([at.chain.block(at.block(-1), EMPTY_BLOCK, irreversible.position)]);
        await at.refuse([at.chain.block(at.block(2), BUSY_BLOCK)], 'FORK_TOO_DEEP');
        await at.write([at.chain.block(irreversible, BUSY_BLOCK)]);
      }));

    it('keeps a block irreversible when a node that lags behind reports an older one', () =>
      written(async (at) => {
        await at.write([at.chain.block(at.block(-1), EMPTY_BLOCK, at.block(4).position)]);
        await at.write([at.chain.block(at.block(-1), EMPTY_BLOCK, at.block(1).position)]);
        await at.refuse([at.chain.block(at.block(2), BUSY_BLOCK)], 'FORK_TOO_DEEP');
      }));

    it('ignores blocks that it has', () =>
      written(async (at) => {
        await at.write(at.model.committedBlocks.slice(2, 4));
        await at.write(at.model.committedBlocks);
      }));

    it('takes a branch and the fork that replaces a part of it in one call', () =>
      written(async (at) => {
        const branch = at.chain.blocks(at.block(-1), [STATE_BLOCK, STATE_BLOCK, EMPTY_BLOCK, STATE_BLOCK]);
        const fork = at.chain.blocks(branch[1], [EMPTY_BLOCK, STATE_BLOCK, STATE_BLOCK]);
        await at.write([...branch, ...fork]);
      }));

    it('undoes nothing twice', () =>
      written(async (at) => {
        const trunk = at.block(-1);
        await at.write(at.chain.blocks(trunk, [EMPTY_BLOCK, withKey(1)]));
        const [kept, undone] = at.chain.blocks(trunk, [withKey(2), EMPTY_BLOCK]);
        await at.write([kept as BlockRecords, undone as BlockRecords]);
        await at.write([at.chain.block(kept, EMPTY_BLOCK)]);
      }));

    it('ignores messages that were sent before one that it has', async () => {
      const under = await contract.open();
      const sessions = new ReaderSessions();
      const chain = new SyntheticChain();
      const model = new ModelHistory();
      let { store } = under;
      const write = async (blocks: BlockRecords[]): Promise<void> => {
        await store.writeBlocks(blocks);
        await store.maintain();
      };
      try {
        const trunk = sessions.read(chain.blocks(undefined, [BUSY_BLOCK, BUSY_BLOCK, BUSY_BLOCK]));
        const orphans = sessions.read(chain.blocks(trunk[0], [BUSY_BLOCK, BUSY_BLOCK]));
        const branch = sessions.read(chain.blocks(trunk[0], [BUSY_BLOCK, EMPTY_BLOCK, BUSY_BLOCK]));
        for (const blocks of [trunk, orphans, branch]) {
          await write(blocks);
          await model.writeBlocks(blocks);
        }
        const status = await store.getStatus();
        const { sequence } = await store.getProgress();
        expect(sequence).toBe(branch.at(-1)?.streamPosition.sequence);
        for (const late of [trunk, orphans, branch, trunk.slice(1, 2)]) {
          await write(late);
          expect(await store.getStatus()).toEqual(status);
          store = await under.restart();
          expect((await store.getProgress()).sequence).toBe(sequence);
        }
        // An epoch that only repeats blocks does not take over: the reader of the current one continues.
        const next = sessions.read(chain.blocks(branch.at(-1), [BUSY_BLOCK]));
        sessions.begin();
        await write(sessions.read(branch.slice(-1)));
        await write(next);
        await model.writeBlocks(next);
        const comparison = new Comparison(store, model);
        await comparison.progress(store);
        await comparison.sampledActions(20, 1);
      } finally {
        await under.dispose();
      }
    });

    it('ignores messages that were sent before one of the same call', async () => {
      const under = await contract.open();
      const { store } = under;
      const sessions = new ReaderSessions();
      const chain = new SyntheticChain();
      try {
        const trunk = sessions.read(chain.blocks(undefined, [STATE_BLOCK, STATE_BLOCK, STATE_BLOCK]));
        const branch = sessions.read(chain.blocks(trunk[0], [STATE_BLOCK, EMPTY_BLOCK, STATE_BLOCK]));
        await store.writeBlocks([...trunk, ...branch, ...trunk.slice(1)]);
        await store.maintain();
        const comparison = new Comparison(store, ModelHistory.of([...trunk.slice(0, 1), ...branch]));
        await comparison.progress(store);
        await comparison.sampledActions(20, 1);
      } finally {
        await under.dispose();
      }
    });

    it('continues after a batch that it refused', () =>
      written(async (at) => {
        const next = at.chain.blocks(at.block(-1), [BUSY_BLOCK, EMPTY_BLOCK, BUSY_BLOCK]);
        await at.refuse(
          next.filter((_, index) => index !== 1),
          'BLOCK_GAP',
        );
        await at.write(next);
      }));

    it('starts over below its first block when a fork reaches that far', () =>
      withStore(contract, async ({ store }) => {
        const chain = new SyntheticChain();
        const trunk = chain.blocks(undefined, [BUSY_BLOCK, BUSY_BLOCK, BUSY_BLOCK, BUSY_BLOCK]);
        const fork = chain.blocks(trunk[0], [BUSY_BLOCK, BUSY_BLOCK]);
        const model = new ModelHistory();
        for (const batch of [trunk.slice(2), fork]) {
          await store.writeBlocks(batch);
          await model.writeBlocks(batch);
        }
        const comparison = new Comparison(store, model);
        await comparison.status();
        await comparison.sampledActions(50, 1);
        for (const { position } of [...trunk, ...fork]) await comparison.block({ id: position.id });
      }));

    it('has an id that no other store has, and keeps it', () =>
      withStore(contract, async (under) => {
        const { storeId } = await under.store.getStatus();
        expect(storeId).toMatch(/^[0-9a-f-]{36}$/);
        await withStore(contract, async ({ store }) => expect((await store.getStatus()).storeId).not.toBe(storeId));
        const store = await under.restart();
        await store.writeBlocks([new SyntheticChain().block(undefined, BUSY_BLOCK)]);
        expect((await store.getStatus()).storeId).toBe(storeId);
      }));

    it('reports the head of the node, which is above the blocks that it has', () =>
      withStore(contract, async ({ store }) => {
        const block = new SyntheticChain().block(undefined, BUSY_BLOCK);
        const head = { num: block.position.num + 3, id: 'f'.repeat(64) };
        await store.writeBlocks([{ ...block, head }]);
        expect(await store.getStatus()).toMatchObject({ committed: block.position, head });
      }));

    it('reports the free bytes of its disk', () =>
      withStore(contract, async ({ store }) => {
        const free = await store.readFreeBytes();
        expect(Number.isSafeInteger(free)).toBe(true);
        expect(free).toBeGreaterThan(0);
      }));

    it('rejects each call after it was closed', () =>
      withStore(contract, async ({ store }) => {
        const [first, second] = new SyntheticChain().blocks(undefined, [BUSY_BLOCK, BUSY_BLOCK]) as [
          BlockRecords,
          BlockRecords,
        ];
        await store.writeBlocks([first]);
        await store.close();
        const calls: (() => Promise<unknown>)[] = [
          () => store.getStatus(),
          () => store.getActions(EVERY_ACTION),
          () => store.getAccountTraces({ account: 'alice', select: () => ({ first: 0, last: 0 }) }),
          () => store.getTransaction('0'.repeat(64)),
          () => store.getBlock('latest'),
          () => store.getBlockTraces('latest'),
          () => store.getAbis([{ account: 'token', blockNum: first.position.num, sequence: 1 }], () => false, Infinity),
          () => store.hasAccount('alice'),
          () => store.getKeyAccounts(KEYS[0] as Buffer),
          () => store.getControlledAccounts('bob'),
          () => store.getProgress(),
          () => store.setChainId('a'.repeat(64)),
          () => store.writeBlocks([second]),
          () => store.maintain(),
          () => store.readFreeBytes(),
        ];
        for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'STOPPED' });
      }));

    it('accepts one chain only', () =>
      withStore(contract, async (under) => {
        await under.store.setChainId('a'.repeat(64));
        await under.store.setChainId('a'.repeat(64));
        await expect(under.store.setChainId('b'.repeat(64))).rejects.toMatchObject({ code: 'CHAIN_ID_MISMATCH' });
        const store = await under.restart();
        await expect(store.setChainId('b'.repeat(64))).rejects.toMatchObject({ code: 'CHAIN_ID_MISMATCH' });
        expect(await store.getStatus()).toMatchObject({ chainId: 'a'.repeat(64) });
      }));
  });
}

/** A chain written to the store and to its model. */
class Written {
  readonly chain = new SyntheticChain();
  readonly model = new ModelHistory();

  constructor(private readonly store: HistoryStore) {}

  /** A committed block by index, from the end when negative. */
  block(index: number): BlockRecords {
    return this.model.committedBlocks.at(index) as BlockRecords;
  }

  async write(blocks: readonly BlockRecords[]): Promise<void> {
    await this.store.writeBlocks([...blocks]);
    await this.model.writeBlocks([...blocks]);
  }

  async refuse(blocks: BlockRecords[], code: ErrorCode): Promise<void> {
    await expect(this.store.writeBlocks(blocks)).rejects.toMatchObject({ code });
  }

  async compare(): Promise<void> {
    const comparison = new Comparison(this.store, this.model);
    await comparison.status();
    await comparison.progress(this.store);
    await comparison.sampledActions(20, 1);
    await comparison.permissionsOf(this.model.committedBlocks);
    await comparison.abisOf(this.model.committedBlocks);
  }
}
