import { describe, expect, it } from '@jest/globals';
import type { BlockRecords } from '@antelope-history/records';
import { MAX_BLOCK_NUM } from '@antelope-history/schemas';
import type { PositionRange } from '../account-traces';
import type { ActionsQuery, HistoryReader, HistoryWriter } from '../history-store';
import { EVERY_ACTION } from './every-action';
import { selectPage } from './model-actions';
import type { ActionPlan } from './packed-action';
import type { StoreContract } from './store-under-test';
import { SyntheticChain, type BlockPlan } from './synthetic-chain';
import { timeLimit, withStore } from './with-store';

const BATCHES = 40;
const BLOCKS_PER_BATCH = 5;

const NEWEST: ActionsQuery = { ...EVERY_ACTION, order: 'desc' };

/** A reader sees the store after one batch or after the next, never in between. */
export function describeWholeness(contract: StoreContract): void {
  describe('atomicity', () => {
    it(
      'shows a reader whole batches only, during writes and undone forks',
      () =>
        withStore(contract, async (under) => {
          const batches = forkingBatches();
          const parents = new Map(batches.flat().map((block) => [block.position.id, block]));
          const boundaries = new Set(batches.flatMap((batch) => [batch[0]?.previous?.id, batch.at(-1)?.position.id]));
          await under.store.writeBlocks(batches[0] ?? []);
          const reader = await under.openReader();
          const writing = new Writing(under.store, batches);
          let read = 0;
          try {
            while (!writing.ended) {
              await expectWholeBatch(reader, parents, boundaries);
              read++;
              await new Promise((resolve) => setImmediate(resolve));
            }
          } finally {
            await writing.whole;
            await reader.close();
          }
          expect(read).toBeGreaterThan(10);
        }),
      timeLimit(contract, 60_000),
    );
  });
}

/** Writes batches into the store. */
class Writing {
  ended = false;
  readonly whole: Promise<void>;

  constructor(store: HistoryWriter, batches: readonly BlockRecords[][]) {
    this.whole = this.write(store, batches).finally(() => (this.ended = true));
  }

  private async write(store: HistoryWriter, batches: readonly BlockRecords[][]): Promise<void> {
    for (const batch of batches) {
      await store.writeBlocks(batch);
      // A store in memory writes without waiting for anything: the reader has its turn here.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

async function expectWholeBatch(
  reader: HistoryReader,
  blocks: ReadonlyMap<string, BlockRecords>,
  boundaries: ReadonlySet<string | undefined>,
): Promise<void> {
  const committed = await expectWhole(reader, blocks);
  expect(boundaries).toContain(committed);
  await expectWholeState(reader, blocks, stateOf(committed, blocks));
}

/** What a batch sets in its first block. */
interface HotState {
  abi: Buffer | undefined;
  key: Buffer;
}

/** Checks that traces, ABIs and permissions are those of the committed head of the same result. `before`: an earlier read's state. */
async function expectWholeState(
  reader: HistoryReader,
  blocks: ReadonlyMap<string, BlockRecords>,
  before: HotState,
): Promise<void> {
  const select = (count: number): PositionRange => ({ first: count - 1, last: count - 1 });
  const traces = await reader.getAccountTraces({ account: 'cold', select });
  expect(traces.rows.map(({ blockId }) => blockId)).toEqual([traces.status.committed?.id]);
  const newest = { account: 'hot', blockNum: MAX_BLOCK_NUM, sequence: Number.MAX_SAFE_INTEGER };
  const abis = await reader.getAbis([newest], () => false, Infinity);
  expect(abis.versions[0]?.bytes).toEqual(stateOf(abis.status.committed?.id, blocks).abi);
  const owners = await reader.getKeyAccounts(before.key);
  const { key } = stateOf(owners.status.committed?.id, blocks);
  expect(owners.accounts).toEqual(key.equals(before.key) ? ['hot'] : []);
}

function stateOf(id: string | undefined, blocks: ReadonlyMap<string, BlockRecords>): HotState {
  const first = branchTo(id, blocks).findLast(({ abiChanges }) => abiChanges.length > 0);
  return {
    abi: first?.abiChanges[0]?.abi,
    key: first?.permissionChanges[0]?.authority?.keys[0] ?? Buffer.alloc(0),
  };
}

/** Checks that the rows are of the branch that ends in the committed head of the same result; returns that block's id. */
export async function expectWhole(
  reader: HistoryReader,
  blocks: ReadonlyMap<string, BlockRecords>,
): Promise<string | undefined> {
  const { status, rows, more } = await reader.getActions(NEWEST);
  const branch = branchTo(status.committed?.id, blocks);
  const expected = selectPage(branch, NEWEST, () => new Map());
  expect(more).toBe(expected.more);
  expect(rows.map(({ blockId }) => blockId)).toEqual(expected.rows.map(({ blockId }) => blockId));
  const latest = await reader.getBlockTraces('latest');
  expect(latest.block?.position).toEqual(latest.status.committed);
  expect(latest.transactions).toHaveLength(blocks.get(latest.status.committed?.id ?? '')?.transactions.length ?? 0);
  return status.committed?.id;
}

function branchTo(id: string | undefined, blocks: ReadonlyMap<string, BlockRecords>): BlockRecords[] {
  const branch: BlockRecords[] = [];
  for (let at = blocks.get(id ?? ''); at; at = blocks.get(at.previous?.id ?? '')) branch.unshift(at);
  return branch;
}

/** Every third batch is a fork that undoes most of the one before it. */
function forkingBatches(): BlockRecords[][] {
  const chain = new SyntheticChain();
  const batches: BlockRecords[][] = [];
  for (let index = 0; index < BATCHES; index++) {
    const last = batches.at(-1);
    const parent = index % 3 === 2 ? last?.[1] : last?.at(-1);
    const plan = hotBlock(index);
    const plans = Array<BlockPlan>(BLOCKS_PER_BATCH).fill(plan).with(0, withState(plan, index));
    batches.push(chain.blocks(parent, plans));
  }
  return batches;
}

function hotBlock(index: number): BlockPlan {
  const action: ActionPlan = {
    account: 'hot',
    name: 'ping',
    actor: 'hot',
    notified: ['cold'],
    creatorDistance: 0,
    dataBytes: 100,
  };
  return { transactions: Array<ActionPlan[]>(3 + (index % 4)).fill([action, action]), abis: [], permissions: [] };
}

/** The ABI and the key are those of no other batch. */
function withState(plan: BlockPlan, index: number): BlockPlan {
  return {
    ...plan,
    abis: [{ account: 'hot', abi: Buffer.from(`ABI ${index}`) }],
    permissions: [{ owner: 'hot', name: 'active', authority: { keys: [Buffer.alloc(34, index)], actors: [] } }],
  };
}
