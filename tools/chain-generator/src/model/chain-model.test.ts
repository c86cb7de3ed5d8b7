import { branchOf, generateChain } from '../generated-chain';
import { ChainModel } from './chain-model';

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

  it('decodes with the ABI in force, which later ones do not change', () => {
    const [upgrade] = branch.slice(1).filter(({ state }) => state.changedAbis.has('game'));
    const before = branch.find(({ num }) => num === (upgrade?.num ?? 0) - 1);
    const query = {
      path: '/v1/history/get_actions',
      body: { account_name: 'game', before: before!.num, offset: 1000 },
    } as const;
    expect(model.respond(query, chain.tip)).toEqual(model.respond(query, before));
  });

  it('has nothing before the first block', () => {
    expect(model.respond({ path: '/v1/history/get_actions', body: {} }, undefined)).toEqual({
      status: 200,
      body: { actions: [], more: false },
    });
  });
});
