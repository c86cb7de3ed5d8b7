import { branchOf, generateChain } from '../generated-chain';
import type { ActionsRequest } from './actions-model';
import { ChainModel, type Expected, type Query } from './chain-model';
import type { PositionsRequest } from './positions-model';

function rowsOf(expected: Expected): { global_action_seq: number | string; account_action_seq: number | string }[] {
  return (expected as { body: { actions: ReturnType<typeof rowsOf> } }).body.actions;
}

describe('the model of the responses', () => {
  const chain = generateChain(1, { blocks: 60, texture: 'everything', forkPercent: 30, lag: 8, isSnapshot: false });
  const model = new ChainModel(chain);
  const branch = branchOf(chain.tip, chain.first);
  const orphan = chain.blocks.find((block) => !branch.includes(block))!;

  it('shows a losing branch in its own state only', () => {
    const query = { path: '/v1/chain/get_block', body: { block_num_or_id: orphan.id } } as const;
    expect(model.respond(query, orphan)).toMatchObject({ status: 200, body: { id: orphan.id } });
    expect(model.respond(query, chain.tip)).toMatchObject({ status: 400, error: { code: 3100002 } });
    const { id } = orphan.transactions[0]!;
    const transaction = { path: '/v1/history/get_transaction', body: { id } } as const;
    expect(model.respond(transaction, orphan)).toMatchObject({ status: 200, body: { id } });
    expect(model.respond(transaction, chain.tip)).toMatchObject({ status: 404 });
  });

  it('pages through the actions of an account, each once, newest first', () => {
    const pages: object[] = [];
    for (let pos = 0, more = true; more; pos += 7) {
      const expected = model.respond(
        { path: '/v1/history/get_actions', body: { account_name: 'alice', pos, offset: 7 } },
        chain.tip,
      );
      const body = (expected as { body: { actions: object[]; more: boolean } }).body;
      pages.push(...body.actions);
      more = body.more;
    }
    const sequences = pages.map((row) => Number((row as { global_action_seq: number | string }).global_action_seq));
    expect(sequences.length).toBeGreaterThan(10);
    expect(sequences).toEqual(sequences.toSorted((left, right) => right - left));
    expect(new Set(sequences).size).toBe(sequences.length);
  });

  it('selects by every form of pos and offset what the contract says', () => {
    const sequencesFor = (body: ActionsRequest): number[] => {
      const account = { account_name: 'alice', after: 1, before: '2100-01-01T00:00:00Z' };
      const query = { path: '/v1/history/get_actions', body: { ...account, ...body } } as const;
      return rowsOf(model.respond(query, chain.tip)).map(({ global_action_seq }) => Number(global_action_seq));
    };
    const desc = sequencesFor({ offset: 1000 });
    const asc = desc.toReversed();
    expect(desc.length).toBeGreaterThan(30);
    expect(sequencesFor({})).toEqual(desc.slice(0, 20));
    expect(sequencesFor({ pos: '3', offset: '4' })).toEqual(desc.slice(3, 7));
    expect(sequencesFor({ pos: 6, offset: -4 })).toEqual(desc.slice(3, 7));
    expect(sequencesFor({ pos: 2, offset: -4 })).toEqual(desc.slice(0, 3));
    for (const newest of [{ pos: -1, offset: 5 }, { pos: -1, offset: -5 }, { offset: '-5' }]) {
      expect(sequencesFor(newest)).toEqual(desc.slice(0, 5));
      for (const sort of ['asc', '1', 1] as const) expect(sequencesFor({ ...newest, sort })).toEqual(asc.slice(-5));
    }
    expect(sequencesFor({ sort: 1, pos: 3, offset: 4 })).toEqual(asc.slice(3, 7));
  });

  it('numbers the traces that an account received or authorised from 0, as the history plugin does', () => {
    const positionsFor = (body: PositionsRequest): number[] => {
      const query = { path: '/v1/history/nodeos/get_actions', body: { account_name: 'alice', ...body } } as const;
      return rowsOf(model.respond(query, chain.tip)).map(({ account_action_seq }) => Number(account_action_seq));
    };
    const count = positionsFor({ pos: 0, offset: 10_000 }).length;
    expect(count).toBeGreaterThan(60);
    expect(positionsFor({})).toEqual(Array.from({ length: 20 }, (_, index) => count - 20 + index));
    expect(positionsFor({ pos: 5, offset: 2 })).toEqual([5, 6, 7]);
    expect(positionsFor({ pos: '5', offset: '-2' })).toEqual([3, 4, 5]);
    expect(positionsFor({ pos: 5, offset: 0 })).toEqual([5]);
    expect(positionsFor({ pos: -1, offset: 3 })).toEqual([]);
    expect(positionsFor({ pos: -2, offset: 3 })).toEqual([0, 1]);
    expect(positionsFor({ pos: 5, offset: 2, sort: 'desc' })).toEqual([7, 6, 5]);
    const all = { pos: 0, offset: 10_000 };
    const middle = chain.tip.num >> 1;
    const parts = [positionsFor({ ...all, before: middle - 1 }), positionsFor({ ...all, after: middle })];
    expect(parts.flat()).toEqual(positionsFor(all));
    expect(parts.map((part) => part.length)).not.toContain(0);
    const transfers = positionsFor({ ...all, filter: 'eosio.token:transfer', parent: 0 }).length;
    expect(transfers).toBeGreaterThan(0);
    expect(transfers).toBeLessThan(count);
  });

  it('finds a transaction by the beginning of its id, in either case, unless several have it', () => {
    const { id } = branch.at(-1)!.transactions[0]!;
    const respond = (text: string) =>
      model.respond({ path: '/v1/history/get_transaction', body: { id: text } }, chain.tip);
    expect(respond(id)).toMatchObject({ status: 200, body: { id } });
    for (const text of [id.toUpperCase(), id.slice(0, 12), id.slice(0, 63).toUpperCase()]) {
      expect(respond(text)).toEqual(respond(id));
    }
    expect(respond('')).toMatchObject({ status: 400, error: { code: 3010009 } });
  });

  it('decodes with the ABI in force, which later ones do not change', () => {
    const [upgrade] = branch.slice(1).filter(({ state }) => state.changedAbis.has('game'));
    const before = branch.find(({ num }) => num === (upgrade?.num ?? 0) - 1);
    const query = {
      path: '/v1/history/get_actions',
      body: { account_name: 'game', before: before!.num, offset: 1000 },
    } as const;
    expect(model.respond(query, chain.tip)).toEqual(model.respond(query, before));
  });

  it('has nothing of blocks below the first one that is kept, but counts their traces', () => {
    const first = chain.tip.num - 20;
    const respond = (query: Query, firstKept = 0) => model.respond(query, chain.tip, firstKept);
    const numsOf = (query: Query, firstKept = 0) =>
      (rowsOf(respond(query, firstKept)) as unknown as { block_num: number }[]).map(({ block_num }) => block_num);
    const removed = branch.find(({ num }) => num === first - 1)!;
    for (const block of [removed, branch.find(({ num }) => num === first)!]) {
      const isKept = block !== removed;
      const { num, id, transactions } = block;
      const queries: Query[] = [
        { path: '/v1/chain/get_block', body: { block_num_or_id: num } },
        { path: '/v1/chain/get_block', body: { block_num_or_id: id } },
        { path: '/v1/trace_api/get_block', body: { block_id: id } },
        { path: '/v1/history/get_transaction', body: { id: transactions[0]!.id } },
      ];
      for (const query of queries) {
        expect(respond(query).status).toBe(200);
        expect(respond(query, first).status === 200).toBe(isKept);
      }
    }
    expect(respond({ path: '/v1/chain/get_info', body: {} }, first)).toMatchObject({
      body: { head_block_id: chain.tip.id, earliest_available_block_num: first },
    });
    const actions: Query = { path: '/v1/history/get_actions', body: { account_name: 'alice', offset: 1000 } };
    expect(numsOf(actions, first)).toEqual(numsOf(actions).filter((num) => num >= first));
    const positions: Query = {
      path: '/v1/history/nodeos/get_actions',
      body: { account_name: 'alice', pos: 0, offset: 1000 },
    };
    const all = rowsOf(respond(positions));
    const kept = rowsOf(respond(positions, first));
    expect(kept.length).toBeLessThan(all.length);
    expect(kept).toEqual(all.slice(-kept.length));
    const losing = new ChainModel(chain, true);
    expect(losing.respond(positions, chain.tip, first)).toMatchObject({ status: 501 });
    expect(losing.respond(positions, chain.tip, chain.first.num)).toEqual(respond(positions));
  });

  it('has nothing before the first block', () => {
    expect(model.respond({ path: '/v1/history/get_actions', body: {} }, undefined)).toEqual({
      status: 200,
      body: { actions: [], more: false },
    });
  });
});
