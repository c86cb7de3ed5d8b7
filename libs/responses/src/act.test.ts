import type { AbiDecoder } from '@antelope-history/abi';
import { writeAct, writeActWithHexOnce } from './act';

const decoder: AbiDecoder = {
  decodeAction: () => null,
  decodeActionResult: () => null,
  decode: () => null,
};

describe('writeAct', () => {
  const fields = {
    account: 'eosio.token',
    name: 'transfer',
    authorization: [
      { actor: 'alice', permission: 'active' },
      { actor: 'bob', permission: 'owner' },
    ],
  };
  const action = { ...fields, data: Buffer.from([0xab]) };

  it('shows the decoded data, even if it is null', () => {
    expect(JSON.parse(writeAct(action, decoder))).toEqual({ ...fields, data: null, hex_data: 'ab' });
    expect(writeActWithHexOnce(action, decoder)).toBe(writeAct(action, decoder));
  });

  it('shows hex without an ABI, or with one that does not decode the data', () => {
    expect(JSON.parse(writeAct(action, undefined))).toEqual({ ...fields, data: 'ab', hex_data: 'ab' });
    const other = { ...decoder, decodeAction: () => undefined };
    expect(writeAct(action, other)).toBe(writeAct(action, undefined));
    expect(JSON.parse(writeActWithHexOnce(action, other))).toEqual({ ...fields, data: 'ab' });
  });
});
