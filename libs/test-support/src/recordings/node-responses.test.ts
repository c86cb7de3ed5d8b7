import {
  readAuthorizers,
  readChainBlocks,
  readHistoryResponses,
  readTraceBlocks,
  readUsedAccounts,
} from './node-responses';
import { sampleFolder } from './samples';

const leap = sampleFolder('leap-edge');

describe('the answers of the recorded nodes', () => {
  it.each([
    ['chain', readChainBlocks],
    ['trace', readTraceBlocks],
  ] as const)('%s blocks come in order, up to the last irreversible one', (_name, read) => {
    const answers = [...read(leap)];
    expect(answers.map((answer) => answer.blockNum)).toEqual(Array.from({ length: 458 }, (_, index) => index + 1));
    for (const answer of answers) expect(() => JSON.parse(answer.body)).not.toThrow();
  });

  it('a chain block is the block asked for', () => {
    for (const { blockNum, body } of readChainBlocks(leap))
      expect(JSON.parse(body)).toHaveProperty('block_num', blockNum);
  });

  it('the history plugin answered 2,183 queries', () => {
    const answers = [...readHistoryResponses(sampleFolder('eosio20-edge'))];
    expect(answers).toHaveLength(2183);
    expect(answers.every((answer) => answer.path.startsWith('/v1/history/') && answer.status >= 200)).toBe(true);
    expect(answers[0]).toMatchObject({ path: '/v1/history/get_actions', request: { account_name: 'l' }, status: 200 });
  });

  it('the history plugin ran on EOSIO 2.0 only', () => {
    expect(() => [...readHistoryResponses(leap)]).toThrow(/history\.jsonl\.gz can not be read/);
  });

  it('authorizers name accounts by key and by account', () => {
    const { head, lastIrreversible, keys, accounts, errors } = readAuthorizers(leap);
    expect([head.num, lastIrreversible.num]).toEqual([505, 458]);
    const [first] = readUsedAccounts(leap).keys;
    if (!first) throw new Error('no key was used');
    expect(keys[first.pem]).toEqual(keys[first.legacy]);
    expect(Object.keys(accounts)).toContain('alice');
    expect(errors).toContainEqual(expect.objectContaining({ path: '/v1/chain/get_block', status: 400 }));
  });
});
