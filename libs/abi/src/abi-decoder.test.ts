import { definition, packAbi, struct } from '../test/definitions';
import { thrownDetail } from '../test/thrown-error';
import { compileAbi, createAbiDecoder } from './abi-decoder';
import type { AbiDefinition } from './abi-definition';
import type { DecodeLimits } from './decode-budget';
import { stringifyJson, type JsonValue } from '@antelope-history/json';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

function decodeAs(
  type: string,
  data: string,
  parts: Partial<AbiDefinition> = {},
  limits?: Partial<DecodeLimits>,
): JsonValue {
  return compileAbi(definition(parts), limits).decode(type, hex(data));
}

/** The decoded value as JSON text, for comparisons with key order and all digits. */
function jsonOf(type: string, data: string, parts: Partial<AbiDefinition> = {}): string {
  return stringifyJson(decodeAs(type, data, parts));
}

function failureOf(
  type: string,
  data: string,
  parts: Partial<AbiDefinition> = {},
  limits?: Partial<DecodeLimits>,
): string {
  return thrownDetail('DECODE_FAILED', () => decodeAs(type, data, parts, limits));
}

describe('builtin types', () => {
  it.each([
    ['bool', '00', '0'],
    ['bool', '01', '1'],
    ['bool', '02', '2'],
    ['int8', '80', '-128'],
    ['uint8', 'ff', '255'],
    ['int16', '0080', '-32768'],
    ['uint16', 'ffff', '65535'],
    ['int32', '00000080', '-2147483648'],
    ['uint32', 'ffffffff', '4294967295'],
    ['int64', 'ffffffff00000000', '4294967295'],
    ['int64', '0000000001000000', '"4294967296"'],
    ['int64', 'ffffffffffffff7f', '"9223372036854775807"'],
    ['int64', 'ffffffffffffffff', '-1'],
    ['int64', '01000000ffffffff', '-4294967295'],
    ['int64', '000000000000e0ff', '-9007199254740992'],
    ['int64', 'ffffffffffffdfff', '-9007199254740993'],
    ['int64', '0000000000000080', '-9223372036854775808'],
    ['uint64', '0000000000000000', '0'],
    ['uint64', '0000000001000000', '"4294967296"'],
    ['uint64', '0000000000002000', '"9007199254740992"'],
    ['uint64', '0100000000002000', '"9007199254740993"'],
    ['uint64', 'ffffffffffffffff', '"18446744073709551615"'],
    ['int128', 'ffffffffffffffffffffffffffffffff', '"-1"'],
    ['int128', '00000000000000000000000000000080', '"-170141183460469231731687303715884105728"'],
    ['uint128', 'ffffffffffffffffffffffffffffffff', '"340282366920938463463374607431768211455"'],
    ['varint32', 'ffffffff0f', '-2147483648'],
    ['varuint32', 'ffffffff0f', '4294967295'],
    // A node ends after five bytes and drops the bits beyond 32.
    ['varuint32', 'ffffffff7f', '4294967295'],
    ['varuint32', '8180808080', '1'],
    ['varint32', 'ffffffff7f', '-2147483648'],
    ['string', '8180808010 61', '"a"'],
    ['uint8[]', '81808080f0 05', '[5]'],
    ['float32', '0000003e', '"0.12500000000000000"'],
    ['float64', '000000000000c03f', '"0.12500000000000000"'],
    ['float128', '000102030405060708090a0b0c0d0e0f', '"0x000102030405060708090a0b0c0d0e0f"'],
    ['time_point', 'f8b88a3cd5620400', '"2009-02-13T23:31:30.123"'],
    ['time_point_sec', 'd2029649', '"2009-02-13T23:31:30"'],
    ['block_timestamp_type', '01000000', '"2000-01-01T00:00:00.500"'],
    ['name', '000000005c73285d', '"foobar"'],
    ['name', '0000000000000000', '""'],
    ['bytes', '03 beef00', '"beef00"'],
    ['bytes', '00', '""'],
    ['string', '05 68c3a9ff22', '"hé\\""'],
    ['checksum160', '11'.repeat(20), `"${'11'.repeat(20)}"`],
    ['checksum256', 'AB'.repeat(32), `"${'ab'.repeat(32)}"`],
    ['checksum512', '00'.repeat(64), `"${'00'.repeat(64)}"`],
    ['symbol', '04454f5300000000', '"4,EOS"'],
    ['symbol', '1241424344454647', '"18,ABCDEFG"'],
    ['symbol', '0400000000000000', '"4,"'],
    ['symbol_code', '454f530000000000', '"EOS"'],
    ['symbol_code', '4142434445464748', '"ABCDEFG"'],
    ['asset', '3930000000000000 04464f4f00000000', '"1.2345 FOO"'],
    ['asset', 'ffffffffffffffff 04464f4f00000000', '"-0.0001 FOO"'],
    ['asset', '0700000000000000 00464f4f00000000', '"7 FOO"'],
    ['asset', 'ffffffffffffff3f 12464f4f00000000', '"4.611686018427387903 FOO"'],
    ['asset', '01000000000000c0 00464f4f00000000', '"-4611686018427387903 FOO"'],
    [
      'extended_asset',
      '3930000000000000 04464f4f00000000 00a6823403ea3055',
      '{"quantity":"1.2345 FOO","contract":"eosio.token"}',
    ],
    ['bitset', '04 0d', '"1101"'],
    ['bitset', '09 0001', '"100000000"'],
    ['bitset', '00', '""'],
  ])('%s %s is %s', (type, data, json) => expect(jsonOf(type, data)).toBe(json));

  it.each([
    ['asset', '0000000000000040 04464f4f00000000', 'beyond 2^62'],
    ['asset', '00000000000000c0 04464f4f00000000', 'beyond 2^62'],
    ['asset', '0000000000000000 13464f4f00000000', '19 decimals'],
    ['symbol', '04464f0041000000', 'characters other than A-Z'],
    ['symbol_code', '666f6f0000000000', 'characters other than A-Z'],
    ['time_point', 'ffffffffffffff7f', 'year 9999'],
    ['string', '05 61', 'length-prefixed'],
    ['bitset', 'ff7f', 'bits'],
    ['public_key', '03'.repeat(40), 'public key type 3'],
    ['uint64', '00', 'cannot read'],
  ])('%s %s fails: %s', (type, data, reason) => expect(failureOf(type, data)).toContain(reason));
});

describe('composite types', () => {
  const parts: Partial<AbiDefinition> = {
    types: [
      { new_type_name: 'account', type: 'name' },
      { new_type_name: 'flags', type: 'bool[]' },
    ],
    structs: [
      struct('pair', { first: 'uint8', second: 'flags?' }),
      struct('extended', { a: 'uint8', b: 'uint8$', c: 'pair$' }),
      struct('empty', {}),
      struct('node', { label: 'uint8', children: 'node[]' }),
      struct('derived', { second: 'uint16', own: 'uint8' }, 'pair'),
    ],
    variants: [{ name: 'choice', types: ['uint8', 'pair', 'choice[]'] }],
  };

  it.each([
    ['uint8[]', '03 010203', '[1,2,3]'],
    ['uint8[][]', '02 01 07 00', '[[7],[]]'],
    ['uint8?[]', '02 00 01 05', '[null,5]'],
    ['uint8[]?', '01 01 05', '[5]'],
    ['uint16[2]', '0100 0200', '[1,2]'],
    ['pair', '07 01 02 0001', '{"first":7,"second":[0,1]}'],
    ['pair', '07 00 ffff', '{"first":7,"second":null}'],
    ['pair?', '05 07 00', '{"first":7,"second":null}'],
    ['extended', '01', '{"a":1}'],
    ['extended', '01 02', '{"a":1,"b":2}'],
    ['extended', '01 02 03 00', '{"a":1,"b":2,"c":{"first":3,"second":null}}'],
    ['node', '01 02 02 00 03 00', '{"label":1,"children":[{"label":2,"children":[]},{"label":3,"children":[]}]}'],
    ['choice', '00 09', '["uint8",9]'],
    ['choice', '02 02 00 01 02 00', '["choice[]",[["uint8",1],["choice[]",[]]]]'],
    ['derived', '01 00 0200 03', '{"first":1,"second":2,"own":3}'],
  ])('%s %s is %s', (type, data, json) => expect(jsonOf(type, data, parts)).toBe(json));

  it.each([
    ['empty', '00', 'empty: a struct without a field is not decoded'],
    ['extended', '', 'extended.a: the data ends at byte 0'],
    ['pair', '01 01 02', 'pair.second: an array of 2 elements'],
    ['uint8?', '02', '2 is not a valid presence flag'],
    ['choice', '03', 'no type 3 in a variant of 3'],
    ['choice', '02 01 01 01', 'choice.<choice[]>[0].<pair>.second'],
    ['node', '01 02 02 00 03', 'node.children[1].children: the data ends'],
    ['uint8[]', '05 01', '5 elements, but 1 bytes left'],
    ['uint8[0]', '00', 'fixed size 0'],
    ['nothing', '00', 'is not defined'],
  ])('%s %s fails: %s', (type, data, reason) => expect(failureOf(type, data, parts)).toContain(reason));

  it('accepts any presence flag for an optional typedef, but only 0 and 1 for an optional builtin, as the node does', () => {
    expect(jsonOf('account?', '07 000000005c73285d', parts)).toBe('"foobar"');
    expect(failureOf('name?', '07 000000005c73285d', parts)).toContain('presence flag');
  });

  it.each([
    [['10', '2']],
    [['a', '4294967294', '0']],
    [['a', '__proto__', 'b']],
    [['constructor', 'toString', 'toJSON', 'hasOwnProperty', '', 'é', '007', '-1', '1.5']],
  ])('keeps all fields of %j, in order', (names) => {
    const odd = struct('odd', {});
    odd.fields = names.map((name) => ({ name, type: 'uint8' }));
    const data = names.map((_, i) => `0${i}`).join('');
    const members = names.map((name, i) => `${JSON.stringify(name)}:${i}`);
    expect(jsonOf('odd', data, { structs: [odd] })).toBe(`{${members.join(',')}}`);
  });

  it('puts the last value of a duplicate field in the position of the first one', () => {
    const doubled = struct('doubled', {});
    for (const name of ['a', 'b', 'a']) doubled.fields.push({ name, type: 'uint8' });
    expect(jsonOf('doubled', '010203', { structs: [doubled] })).toBe('{"a":3,"b":2}');
    for (const field of doubled.fields) field.name = field.name === 'a' ? '1' : '0';
    expect(jsonOf('doubled', '010203', { structs: [doubled] })).toBe('{"1":3,"0":2}');
  });
});

describe('limits', () => {
  const nested = (levels: number): string => '01'.repeat(levels) + '00';
  const parts = { structs: [struct('node', { children: 'node[]' })] };

  it('count scopes as the node does: three per level of nested structs in arrays', () => {
    expect(JSON.stringify(decodeAs('node', nested(8), parts))).toContain('[]');
    expect(failureOf('node', nested(9), parts)).toContain('deeper than 32');
    expect(failureOf('node', nested(3), parts, { maxDepth: 12 })).toContain('deeper than 12');
  });

  it('apply to array elements and to output', () => {
    expect(failureOf('uint8[][]', '02 01 01 01 01', {}, { maxElements: 3 })).toContain('too many array elements');
    expect(decodeAs('uint8[][]', '02 01 01 01 01', {}, { maxElements: 4 })).toEqual([[1], [1]]);
    expect(failureOf('bytes', `0a${'00'.repeat(10)}`, {}, { maxOutput: 20 })).toContain('too long');
  });
});

describe('an ABI', () => {
  const abi = definition({
    types: [{ new_type_name: 'amount', type: 'uint8' }],
    structs: [struct('pay', { amount: 'amount' }), struct('', { a: 'uint8' })],
    actions: [
      { name: 'pay', type: 'pay' },
      { name: 'nameless', type: '' },
    ],
    action_results: [{ name: 'pay', result_type: 'amount' }],
  });

  it('decodes action data by the type of the action, and return values by the name of the action', () => {
    const decoder = compileAbi(abi);
    expect(decoder.decodeAction('pay', hex('05ffff'))).toEqual({ amount: 5 });
    expect(decoder.decodeActionResult('pay', hex('05'))).toBe(5);
  });

  it('decodes unknown actions, empty type names and invalid data to undefined', () => {
    const decoder = compileAbi(abi);
    expect(decoder.decodeAction('steal', hex('05'))).toBeUndefined();
    expect(decoder.decodeAction('nameless', hex('05'))).toBeUndefined();
    expect(decoder.decodeAction('pay', hex(''))).toBeUndefined();
    expect(decoder.decodeActionResult('nameless', hex('05'))).toBeUndefined();
    expect(decoder.decodeActionResult('pay', hex(''))).toBeUndefined();
  });

  it('compiles from its binary form, unless that is empty or invalid', () => {
    expect(createAbiDecoder(packAbi(abi))?.decodeAction('pay', hex('05'))).toEqual({ amount: 5 });
    expect(createAbiDecoder(Buffer.alloc(0))).toBeUndefined();
    expect(createAbiDecoder(Buffer.alloc(4))).toBeUndefined();
    expect(createAbiDecoder(hex('0e0102030405060708090a0b0c0d0e0f'))).toBeUndefined();
    expect(createAbiDecoder(packAbi({ ...abi, version: 'eosio::abi/2.0' }))).toBeUndefined();
  });

  const loops = [
    { new_type_name: 'a', type: 'b[]' },
    { new_type_name: 'b', type: 'a?' },
  ];
  const chain = Array.from({ length: 40 }, (_, i) => ({
    new_type_name: `t${i}`,
    type: i === 0 ? 'name' : `t${i - 1}`,
  }));
  it.each<[string, Partial<AbiDefinition>]>([
    ['version', { version: 'eosio::abi/0.9' }],
    ['type names twice', { types: [...abi.types, ...abi.types] }],
    ['struct names twice', { structs: [...abi.structs, ...abi.structs] }],
    ['action names twice', { actions: [...abi.actions, ...abi.actions] }],
    ['table names twice', { tables: Array(2).fill({ name: 't', type: 'name' }) }],
    ['variant names twice', { variants: Array(2).fill({ name: 'v', types: [] }) }],
    ['action result names twice', { action_results: [...abi.action_results, ...abi.action_results] }],
    ['"pay" is defined twice', { types: [{ new_type_name: 'pay', type: 'name' }], structs: abi.structs }],
    ['"name" is defined twice', { types: [{ new_type_name: 'name', type: 'uint8' }] }],
    ['"x" is not defined', { types: [{ new_type_name: 't', type: 'x' }] }],
    [
      '"list[]" is defined twice',
      {
        types: [
          { new_type_name: 'list', type: 'uint8[]' },
          { new_type_name: 'list[]', type: 'name' },
        ],
      },
    ],
    ['"x[]" is not defined', { structs: [struct('s', { f: 'x[]' })] }],
    ['"x" is not defined', { variants: [{ name: 'v', types: ['name', 'x'] }] }],
    ['"x" is not defined', { actions: [{ name: 'a', type: 'x' }] }],
    ['"x" is not defined', { tables: [{ name: 'a', type: 'x' }] }],
    ['"x" is not defined', { action_results: [{ name: 'a', result_type: 'x' }] }],
    ['"name$" is not defined', { variants: [{ name: 'v', types: ['name$'] }] }],
    ['nested too deep or circular', { types: [{ new_type_name: 'a', type: 'a' }] }],
    ['nested too deep or circular', { types: loops }],
    ['nested too deep or circular', { types: chain }],
    ...['uint8[][]', 'uint8[]?', 'uint8?[]', 'uint8??', 'uint8[2][]', 'uint8[2][3]', 's?[]', 'list[][]'].map(
      (type): [string, Partial<AbiDefinition>] => [
        `"${type}" is not defined`,
        { types: [{ new_type_name: 'list', type: 'uint8[]' }], structs: [struct('s', { f: type })] },
      ],
    ),
    ['"uint8[]" is defined twice', { types: [{ new_type_name: 'uint8[]', type: 'name' }] }],
    ['"pay?" is defined twice', { types: [{ new_type_name: 'pay?', type: 'name' }], structs: abi.structs }],
    ['"x[]" is not defined', { structs: [struct('x[]', { a: 'uint8' }), struct('s', { f: 'x[]' })] }],
    ['is its own base', { structs: [struct('p', {}, 'q'), struct('q', {}, 'p')] }],
    ['is not a struct', { structs: [struct('p', {}, 'name')] }],
  ])('is refused: %s', (reason, parts) => {
    expect(thrownDetail('ABI_INVALID', () => compileAbi(definition(parts)))).toContain(reason);
  });

  it.each<[string, AbiDefinition['types']]>([
    [
      'precedes that of its elements',
      [
        { new_type_name: 'x[]', type: 'name' },
        { new_type_name: 'x', type: 'uint8' },
      ],
    ],
    [
      'precedes what defines its elements',
      [
        { new_type_name: 'x', type: 'y' },
        { new_type_name: 'x[]', type: 'name' },
        { new_type_name: 'y', type: 'uint8' },
      ],
    ],
  ])('takes the typedef of a list that %s, because the node reads typedefs in order', (_, types) => {
    const decoder = compileAbi(definition({ types, structs: [struct('s', { list: 'x[]', one: 'x' })] }));
    expect(decoder.decode('s', hex('000000005c73285d 05'))).toEqual({ list: 'foobar', one: 5 });
  });

  it('nests lists by typedefs only, as in the node, which takes one suffix of a name', () => {
    const lists = definition({
      types: [
        { new_type_name: 'list', type: 'uint8[]' },
        { new_type_name: 'some', type: 'list?' },
      ],
      structs: [struct('s', { f: 'some[]' })],
    });
    expect(compileAbi(lists).decode('s', hex('02 00 01 02 05 06'))).toEqual({ f: [null, [5, 6]] });
  });

  it.each(['in order', 'reversed'])(
    'is valid if the node looks up at most 31 names for a type, with typedefs %s',
    (order) => {
      const row = (length: number) => {
        const types = chain.slice(0, length);
        return definition({ types: order === 'reversed' ? types.reverse() : types });
      };
      expect(compileAbi(row(31)).decode('t29', hex('000000005c73285d'))).toBe('foobar');
      expect(thrownDetail('ABI_INVALID', () => compileAbi(row(32)))).toContain('nested too deep');
    },
  );

  it('is valid with what the node accepts: an unused recursive struct, and names shared with a builtin or a typedef', () => {
    const odd = definition({
      types: [
        { new_type_name: 'choice', type: 'uint8' },
        { new_type_name: 'x?', type: 'name' },
      ],
      structs: [struct('name', { shadowed: 'uint8' }), struct('recursive', { self: 'recursive' })],
      variants: [{ name: 'choice', types: ['name'] }],
    });
    expect(compileAbi(odd).decode('choice', hex('07'))).toBe(7);
    expect(thrownDetail('DECODE_FAILED', () => compileAbi(odd).decode('recursive', hex('07')))).toContain('deeper');
  });
});
