import type { AbiDecoder } from '@antelope-history/abi';
import { JsonWriter } from '@antelope-history/json';
import { type ActSource, writeAct, writeActWithHexIfDecoded } from './act';

const decoder: AbiDecoder = {
  decodeAction: () => null,
  writeAction: (out) => Boolean(out.value(null)),
  decodeActionResult: () => null,
  decode: () => null,
};

function text(write: typeof writeAct, act: ActSource, decoder: AbiDecoder | undefined): string {
  const out = new JsonWriter();
  write(out, act, decoder);
  return String(out.copyFrom(0));
}

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
    expect(JSON.parse(text(writeAct, action, decoder))).toEqual({ ...fields, data: null, hex_data: 'ab' });
    expect(text(writeActWithHexIfDecoded, action, decoder)).toBe(text(writeAct, action, decoder));
  });

  it('shows hex without an ABI, or with one that does not decode the data', () => {
    expect(JSON.parse(text(writeAct, action, undefined))).toEqual({ ...fields, data: 'ab', hex_data: 'ab' });
    const other: AbiDecoder = { ...decoder, writeAction: () => false };
    expect(text(writeAct, action, other)).toBe(text(writeAct, action, undefined));
    expect(JSON.parse(text(writeActWithHexIfDecoded, action, other))).toEqual({ ...fields, data: 'ab' });
    // A checksum, for example, decodes to the hex of its bytes.
    const same: AbiDecoder = { ...decoder, writeAction: (out) => Boolean(out.value('ab')) };
    expect(text(writeActWithHexIfDecoded, action, same)).toBe(text(writeAct, action, undefined));
  });
});
