import { Serializer, type ABISerializable } from '@wharfkit/antelope';
import fc from 'fast-check';
import { compileAbi } from '../src/index';
import { stringifyJson } from '@antelope-history/json';
import { definition, struct, wharfkitAbi } from './definitions';

/** A value in the form that wharfkit packs, and the JSON text that the node prints for it. */
interface Sample {
  input: unknown;
  json: string;
}

const sample = (input: unknown, json: unknown): Sample => ({ input, json: JSON.stringify(json) });

/** The node's rule for 64-bit integers: a string above 4294967295, a number otherwise. */
const integer64 = (value: bigint): Sample => ({
  input: String(value),
  json: value > 4294967295n ? `"${value}"` : String(value),
});

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const checksum = (length: number): fc.Arbitrary<Sample> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => sample(hexOf(bytes), hexOf(bytes)));
const date = (unit: number, to: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: to }).map((count) => new Date(count * unit).toISOString().slice(0, 23));
const digits = (value: bigint, precision: number): string => {
  const text = String(value).padStart(precision + 1, '0');
  return precision === 0 ? text : `${text.slice(0, -precision)}.${text.slice(-precision)}`;
};
const symbolName = fc.stringMatching(/^[A-Z]{1,7}$/);
const name = fc.stringMatching(/^[a-z1-5]{1,12}$/);
const asset = fc
  .tuple(fc.bigInt(0n, (1n << 62n) - 1n), fc.integer({ min: 0, max: 18 }), symbolName, fc.boolean())
  .map(
    ([amount, precision, symbol, negative]) =>
      `${negative && amount > 0n ? '-' : ''}${digits(amount, precision)} ${symbol}`,
  );

const BUILTINS: Record<string, fc.Arbitrary<Sample>> = {
  bool: fc.boolean().map((value) => sample(value, Number(value))),
  int8: fc.integer({ min: -128, max: 127 }).map((value) => sample(value, value)),
  uint16: fc.integer({ min: 0, max: 65535 }).map((value) => sample(value, value)),
  int32: fc.integer().map((value) => sample(value, value)),
  varint32: fc.integer().map((value) => sample(value, value)),
  varuint32: fc.nat({ max: 0xffffffff }).map((value) => sample(value, value)),
  int64: fc.bigInt(-(1n << 63n), (1n << 63n) - 1n).map(integer64),
  uint64: fc.bigInt(0n, (1n << 64n) - 1n).map(integer64),
  int128: fc.bigInt(-(1n << 127n), (1n << 127n) - 1n).map((value) => sample(String(value), String(value))),
  uint128: fc.bigInt(0n, (1n << 128n) - 1n).map((value) => sample(String(value), String(value))),
  name: name.map((value) => sample(value, value)),
  string: fc.string({ unit: 'grapheme' }).map((value) => sample(value, value)),
  bytes: fc.uint8Array().map((bytes) => sample(hexOf(bytes), hexOf(bytes))),
  checksum160: checksum(20),
  checksum256: checksum(32),
  checksum512: checksum(64),
  time_point: date(1, 4e12).map((value) => sample(value, value)),
  time_point_sec: date(1000, 0xffffffff).map((value) => sample(value, value.slice(0, 19))),
  block_timestamp_type: date(500, 6e9)
    .filter((value) => value >= '2000')
    .map((value) => sample(value, value)),
  asset: asset.map((value) => sample(value, value)),
  extended_asset: fc
    .tuple(asset, name)
    .map(([quantity, contract]) => sample({ quantity, contract }, { quantity, contract })),
  symbol: symbolName.map((value) => sample(`4,${value}`, `4,${value}`)),
  symbol_code: symbolName.map((value) => sample(value, value)),
};

/** A type name and a value of the type: a builtin, an optional builtin or an array of a builtin. */
const typedValue = fc.constantFrom(...Object.entries(BUILTINS)).chain(([type, value]) =>
  fc.oneof(
    value.map((one) => ({ type, ...one })),
    fc.option(value).map((one) => ({ type: `${type}?`, input: one?.input ?? null, json: one?.json ?? 'null' })),
    fc.array(value, { maxLength: 5 }).map((all) => ({
      type: `${type}[]`,
      input: all.map(({ input }) => input),
      json: `[${all.map(({ json }) => json).join(',')}]`,
    })),
  ),
);

describe('data that wharfkit packs', () => {
  it('decodes to the packed values of every type, in the form of the node', () => {
    fc.assert(
      fc.property(fc.array(typedValue, { minLength: 1, maxLength: 6 }), (values) => {
        const fields = Object.fromEntries(values.map(({ type }, index) => [`f${index}`, type]));
        const abi = definition({ structs: [struct('root', fields)] });
        const object = Object.fromEntries(values.map(({ input }, index) => [`f${index}`, input])) as ABISerializable;
        const packed = Serializer.encode({ object, abi: wharfkitAbi(abi), type: 'root' });
        const json = `{${values.map((value, index) => `"f${index}":${value.json}`).join(',')}}`;
        expect(stringifyJson(compileAbi(abi).decode('root', Buffer.from(packed.array)))).toBe(json);
      }),
      { numRuns: 1000 },
    );
  });
});
