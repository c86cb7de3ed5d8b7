import {
  readAuthorizers,
  readChainBlocks,
  readHistoryResponses,
  readTraceBlocks,
  readUsedAccounts,
} from './node-responses';
import { sampleFolder } from './samples';

const leap = sampleFolder('leap-edge');

describe('the responses of the recorded nodes', () => {
  it.each([
    ['chain', readChainBlocks],
    ['trace', readTraceBlocks],
  ] as const)('have the %s blocks in order, up to the last irreversible one', (_name, read) => {
    const responses = [...read(leap)];
    expect(responses.map(({ blockNum }) => blockNum)).toEqual(Array.from({ length: 458 }, (_, index) => index + 1));
    for (const { body } of responses) expect(() => JSON.parse(body)).not.toThrow();
  });

  it('have the chain block that was requested', () => {
    for (const { blockNum, body } of readChainBlocks(leap))
      expect(JSON.parse(body)).toHaveProperty('block_num', blockNum);
  });

  it('include 2,183 of the history plugin', () => {
    const responses = [...readHistoryResponses(sampleFolder('eosio20-edge'))];
    expect(responses).toHaveLength(2183);
    expect(responses.every(({ path, status }) => path.startsWith('/v1/history/') && status >= 200)).toBe(true);
    expect(responses[0]).toMatchObject({
      path: '/v1/history/get_actions',
      request: { account_name: 'l' },
      status: 200,
    });
  });

  it('include the history plugin for EOSIO 2.0 only', () => {
    expect(() => [...readHistoryResponses(leap)]).toThrow(/history\.jsonl\.gz can not be read/);
  });

  it('include authorizers by key and by account', () => {
    const { head, lastIrreversible, keys, accounts, errors } = readAuthorizers(leap);
    expect([head.num, lastIrreversible.num]).toEqual([505, 458]);
    const [first] = readUsedAccounts(leap).keys;
    if (!first) throw new Error('no key was used');
    expect(keys[first.pem]).toEqual(keys[first.legacy]);
    expect(Object.keys(accounts)).toContain('alice');
    expect(errors).toContainEqual(expect.objectContaining({ path: '/v1/chain/get_block', status: 400 }));
  });
});
