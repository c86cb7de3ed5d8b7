import { definition, packAbi, struct } from '../test/definitions';
import { thrownDetail } from '../test/thrown-error';
import { MAX_ABI_BYTES, parseAbi, parseAbiJson } from './abi-definition';

const abi = definition({
  types: [{ new_type_name: 'account', type: 'name' }],
  structs: [struct('base', { id: 'uint64' }), struct('transfer', { to: 'account', tags: 'string[]' }, 'base')],
  actions: [{ name: 'transfer', type: 'transfer' }],
  tables: [{ name: 'rows', type: 'base' }],
  variants: [{ name: 'choice', types: ['name', 'base'] }],
  action_results: [{ name: 'transfer', result_type: 'uint32' }],
});

const invalid = (bytes: Buffer): string => thrownDetail('ABI_INVALID', () => parseAbi(bytes));

describe('parseAbi', () => {
  it('reads all parts and ignores the bytes after them', () => {
    expect(parseAbi(packAbi(abi))).toEqual(abi);
    expect(parseAbi(Buffer.concat([packAbi(abi), Buffer.of(1, 2, 3)]))).toEqual(abi);
  });

  it('reads older ABIs without variants and action results', () => {
    const packed = packAbi(definition({ version: 'eosio::abi/1.0' }));
    expect(packed.subarray(-2)).toEqual(Buffer.of(0, 0));
    const older = definition({ version: 'eosio::abi/1.0' });
    expect(parseAbi(packed.subarray(0, -1))).toEqual(older);
    expect(parseAbi(packed.subarray(0, -2))).toEqual(older);
  });

  it('refuses every truncation, except before the optional parts', () => {
    const packed = packAbi(abi);
    const readable: number[] = [];
    for (let length = 0; length < packed.length; length++) {
      try {
        parseAbi(packed.subarray(0, length));
        readable.push(length);
      } catch {
        expect(invalid(packed.subarray(0, length))).toContain('cannot read');
      }
    }
    expect(readable).toHaveLength(2);
  });

  it('refuses an error message that is defined twice', () => {
    const message = Buffer.concat([Buffer.alloc(8, 7), Buffer.of(0)]);
    const bytes = Buffer.concat([Buffer.of(0, 0, 0, 0, 0, 0, 2), message, message, Buffer.of(0)]);
    expect(invalid(bytes)).toContain('error message twice');
  });

  it('refuses sizes above the limits', () => {
    expect(invalid(Buffer.alloc(MAX_ABI_BYTES + 1))).toContain('bytes');
    expect(invalid(Buffer.from('00ffffffff0f', 'hex'))).toContain('memory');
  });
});

describe('parseAbiJson', () => {
  it('reads the same parts as parseAbi', () => expect(parseAbiJson(JSON.stringify(abi))).toEqual(abi));

  it('treats absent parts as empty', () => {
    expect(
      parseAbiJson('{"version":"eosio::abi/1.1","structs":[{"name":"a","fields":[{"name":"x","type":"int8"}]}]}'),
    ).toEqual(definition({ version: 'eosio::abi/1.1', structs: [struct('a', { x: 'int8' })] }));
  });

  it.each(['', '[]', 'null', '{"structs":{}}', '{"structs":[1]}', '{"version":1}', '{"variants":[{"types":[2]}]}'])(
    'refuses %p',
    (text) => expect(thrownDetail('ABI_INVALID', () => parseAbiJson(text))).toContain('not valid'),
  );
});
