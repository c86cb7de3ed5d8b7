import type { AbiDecoder } from '@antelope-history/abi';
import { renderAct } from './act';

const decoder: AbiDecoder = {
  decodeAction: () => null,
  decodeActionResult: () => null,
  decode: () => null,
};

describe('renderAct', () => {
  const action = { account: 'eosio.token', name: 'transfer', authorization: [], data: Buffer.from([0xab]) };

  it('shows the decoded data, even if it is null', () => {
    expect(renderAct(action, decoder)).toMatchObject({ data: null, hex_data: 'ab' });
  });

  it('shows hex without an ABI, or with one that does not decode the data', () => {
    expect(renderAct(action, undefined)).toMatchObject({ data: 'ab', hex_data: 'ab' });
    expect(renderAct(action, { ...decoder, decodeAction: () => undefined })).toMatchObject({ data: 'ab' });
  });
});
