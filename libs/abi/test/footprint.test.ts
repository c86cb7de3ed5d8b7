import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compileBinaryAbi, type AbiDefinition, type BinaryAbi } from '../src/index';
import { definition, packAbi, struct } from './definitions';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Size of the heap after garbage collection, in bytes. */
function heapBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const COPIES = 4;

/** Growth of the heap by one compiled ABI after all its fields were decoded. */
function measure(bytes: Buffer, data: Buffer): { grown: number; abi: BinaryAbi } {
  const before = heapBytes();
  const abis = Array.from({ length: COPIES }, () => compileBinaryAbi(bytes));
  const decoded = abis.map(({ decoder }) => decoder?.decodeAction('a', data) !== undefined);
  const grown = (heapBytes() - before) / COPIES;
  expect(decoded).toEqual(Array(COPIES).fill(true));
  return { grown, abi: abis[0] as BinaryAbi };
}

const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const fieldsOf = (count: number, typeOf: (index: number) => string) =>
  struct('s', Object.fromEntries(numbered(count, (i) => [`f${i}`, typeOf(i)])));
const abiOf = (parts: Partial<AbiDefinition>): Buffer =>
  packAbi(definition({ actions: [{ name: 'a', type: 's' }], ...parts }));

describe('the footprint of an ABI', () => {
  it.each<[string, Partial<AbiDefinition>]>([
    ['fields of one type', { structs: [fieldsOf(3000, () => 'uint8$')] }],
    ['fields of types with a suffix', { structs: [fieldsOf(250, (i) => `uint8[${i + 1}]$`)] }],
    [
      'fields of rows of typedefs with suffixes',
      {
        types: numbered(1200, (i) => ({
          new_type_name: `t${i}`,
          type: i % 12 === 0 ? `uint8[${i + 1}]` : `t${i - 1}?`,
        })),
        structs: [fieldsOf(1200, (i) => `t${i}[]$`)],
      },
    ],
    [
      'structs that inherit from one base',
      {
        structs: [
          struct('base', { b: 'uint8' }),
          ...numbered(2000, (i) => struct(`d${i}`, {}, 'base')),
          fieldsOf(2000, (i) => `d${i}$`),
        ],
      },
    ],
    [
      'typedefs',
      {
        types: numbered(2000, (i) => ({ new_type_name: `t${i}`, type: 'uint8' })),
        structs: [fieldsOf(2000, (i) => `t${i}$`)],
      },
    ],
    [
      'variants',
      {
        variants: numbered(2000, (i) => ({ name: `v${i}`, types: ['uint8'] })),
        structs: [fieldsOf(2000, (i) => `v${i}$`)],
      },
    ],
    ['long names above Latin-1', { structs: [struct('s', { [`\u4e00${'x'.repeat(300_000)}`]: 'uint8' })] }],
  ])('is an upper bound of the memory that the ABI uses: %s', (_, parts) => {
    const { grown, abi } = measure(abiOf(parts), Buffer.alloc(40_000));
    expect(abi.memoryBytes).toBeGreaterThan(grown);
    // A bound that is far too high would refuse valid ABIs.
    expect(abi.memoryBytes).toBeLessThan(8 * Math.max(grown, 500_000));
  });

  it('stays small when many structs inherit from one large base and each decodes three bytes', () => {
    const base = Object.fromEntries(numbered(3000, (i) => [`b${i}`, 'uint8$']));
    const names = numbered(1000, (i) => `d${i}`);
    const bytes = abiOf({
      structs: [struct('base', base), ...names.map((name) => struct(name, {}, 'base'))],
      variants: [{ name: 's', types: names }],
    });
    const { decoder, memoryBytes } = compileBinaryAbi(bytes);
    const before = heapBytes();
    for (let index = 0; index < names.length; index++) {
      const tag = index < 128 ? [index] : [(index & 0x7f) | 0x80, index >> 7];
      expect(decoder?.decodeAction('a', Buffer.from([...tag, 1, 2, 3]))).toBeDefined();
    }
    expect(heapBytes() - before).toBeLessThan(memoryBytes);
    expect(memoryBytes).toBeLessThan(4_000_000);
  });

  it('is limited: an ABI that could need more than 16 MiB is treated as no ABI, and is cheap to refuse', () => {
    const bytes = abiOf({ structs: numbered(40_000, (i) => struct(`s${i}`, { a: 'uint8' })) });
    const before = heapBytes();
    const { decoder, memoryBytes, work } = compileBinaryAbi(bytes);
    expect([decoder, memoryBytes]).toEqual([undefined, 0]);
    expect(work).toBeGreaterThan(bytes.length);
    expect(heapBytes() - before).toBeLessThan(1_000_000);
  });
});
