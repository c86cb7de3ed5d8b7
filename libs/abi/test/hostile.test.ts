import { hasErrorCode } from '@antelope-history/schemas';
import fc from 'fast-check';
import { compileAbi, createAbiDecoder, parseAbi, type AbiDefinition } from '../src/index';
import { stringifyJson } from '@antelope-history/json';
import { definition, packAbi, struct } from './definitions';
import { lastAbis } from './recorded-actions';

/** Processor time limit of one call: far above what the decode limits allow on any machine, far below a hang. */
const MAX_MILLISECONDS = 2000;

/** Calls `run`, fails if it exceeds the time limit, and returns its result. */
function bounded<T>(run: () => T): T {
  const start = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(MAX_MILLISECONDS);
  return result;
}

function compileOrRefuse(abi: AbiDefinition): ReturnType<typeof compileAbi> | undefined {
  try {
    return compileAbi(abi);
  } catch (error) {
    if (hasErrorCode(error, 'ABI_INVALID')) return undefined;
    throw error;
  }
}

function varuint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7f; value = Math.floor(value / 128)) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** A packed array: `count` and as many copies of `bytes`. */
const repeated = (bytes: Buffer, count: number): Buffer =>
  Buffer.concat([varuint(count), Buffer.alloc(bytes.length * count, bytes)]);

describe('hostile data', () => {
  const one = definition({
    structs: [
      struct('empty', {}),
      struct('optionals', { a: 'uint8$', b: 'uint8$' }),
      struct('long_name', { ['x'.repeat(100_000)]: 'uint8' }),
      struct('chain', { a: 'chain?', b: 'chain?' }),
      struct('many', Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`f${i}`, 'uint8$']))),
      struct('zero', { a: 'uint8[0]' }),
    ],
    variants: [{ name: 'v', types: ['v', 'v[]', 'empty'] }],
  });
  const decoder = compileAbi(one);
  const wa = Buffer.concat([Buffer.of(2), Buffer.alloc(65, 7), varuint(0), varuint(4000), Buffer.alloc(4000, 9)]);
  const key = Buffer.concat([Buffer.of(2), Buffer.alloc(34, 7), varuint(900), Buffer.alloc(900, 9)]);
  const hugeDouble = Buffer.from('a0c8eb85f3cce17f', 'hex');

  it.each<[string, string, Buffer]>([
    ['4 billion empty structs', 'empty[]', Buffer.from('ffffffff0f', 'hex')],
    ['4 billion structs of extensions', 'optionals[]', Buffer.from('ffffffff0f', 'hex')],
    ['a billion elements of fixed size', 'uint8[1000000000]', Buffer.alloc(100)],
    ['fixed sizes of fixed sizes', 'uint8[9999999999][9999999999]', Buffer.alloc(1000)],
    ['arrays of no bytes', 'zero[]', Buffer.from('ffffffff0f', 'hex')],
    ['a variant within itself', 'v', Buffer.alloc(1 << 20)],
    ['arrays of variants of arrays', 'v', Buffer.alloc(1 << 20, 1)],
    ['a million long field names', 'long_name[]', repeated(Buffer.of(1), 1_000_000)],
    ['a tree of optionals', 'chain', Buffer.alloc(1 << 20, 1)],
    ['a million structs with 40,000 fields', 'many[]', repeated(Buffer.of(1), 1_000_000)],
    ['long WA signatures', 'signature[]', repeated(wa, 250)],
    ['long WA keys', 'public_key[]', repeated(key, 1000)],
    ['ordinary keys', 'public_key[]', repeated(Buffer.alloc(34), 30_000)],
    ['a megabyte of huge doubles', 'float64[]', repeated(hugeDouble, 131_000)],
    ['a string of a gigabyte', 'string', Buffer.from('ffffffff03', 'hex')],
    ['bits without bytes', 'bitset', Buffer.from('ffffffff0f', 'hex')],
  ])('is refused within the time limit: %s', (_, type, data) => {
    expect(bounded(() => failsToDecode(() => decoder.decode(type, data)))).toBe(true);
  });

  it.each<[string, string, Buffer]>([
    ['a megabyte of bytes', 'bytes', repeated(Buffer.of(7), 1 << 20)],
    ['a megabyte of small integers', 'uint8[]', repeated(Buffer.of(7), 1_000_000)],
    ['a megabyte of large integers', 'uint64[]', repeated(Buffer.alloc(8, 7), 131_000)],
    ['a megabyte of bits', 'bitset', Buffer.concat([varuint(1 << 20), Buffer.alloc(1 << 17, 5)])],
    ['a megabyte of text that is not UTF-8', 'string', repeated(Buffer.of(0x80), 1 << 20)],
  ])('of a plausible size decodes within the time limit: %s', (_, type, data) => {
    expect(bounded(() => stringifyJson(decoder.decode(type, data)).length)).toBeGreaterThan(0);
  });

  it('never throws anything but DECODE_FAILED', () => {
    const types = [
      'v',
      'chain',
      'optionals[]',
      'public_key',
      'signature?',
      'asset[]',
      'time_point[]',
      'string[][]',
      'v?[]',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.uint8Array({ maxLength: 200, size: 'max' }), (type, data) => {
        failsToDecode(() => decoder.decode(type, Buffer.from(data)));
      }),
      { numRuns: 3000 },
    );
  });
});

function failsToDecode(decode: () => unknown): boolean {
  try {
    decode();
    return false;
  } catch (error) {
    if (hasErrorCode(error, 'DECODE_FAILED')) return true;
    throw error;
  }
}

describe('hostile ABIs', () => {
  const numbered = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, i) => make(i));

  it.each<[string, Partial<AbiDefinition>]>([
    [
      'a chain of 20,000 bases',
      { structs: numbered(20_000, (i) => struct(`s${i}`, { a: 'uint8' }, i > 0 ? `s${i - 1}` : '')) },
    ],
    ['a ring of 20,000 bases', { structs: numbered(20_000, (i) => struct(`s${i}`, {}, `s${(i + 1) % 20_000}`)) }],
    [
      'a chain of 20,000 typedefs',
      { types: numbered(20_000, (i) => ({ new_type_name: `t${i}`, type: i > 0 ? `t${i - 1}` : 'name' })) },
    ],
    ['a type name of 100,000 brackets', { structs: [struct('s', { f: `uint8${'[]'.repeat(50_000)}` })] }],
    ['a type name of a million question marks', { structs: [struct('s', { f: `s${'?'.repeat(1_000_000)}` })] }],
    [
      '20,000 structs of each other',
      { structs: numbered(20_000, (i) => struct(`s${i}`, { a: `s${(i * 7) % 20_000}[]?` })) },
    ],
    ['a variant of 40,000 types', { variants: [{ name: 'v', types: numbered(40_000, () => 'v?') }] }],
  ])('compile or are refused within the time limit, decoding included: %s', (_, parts) => {
    bounded(() => {
      const abi = definition({ actions: [{ name: 'a', type: parts.structs?.at(-1)?.name ?? 'name' }], ...parts });
      const decoder = compileOrRefuse(abi);
      decoder?.decodeAction('a', Buffer.alloc(1000, 1));
    });
  });

  it('of random bytes compile or are refused, and parsing throws nothing but ABI_INVALID', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300, size: 'max' }), (array) => {
        const bytes = Buffer.from(array);
        createAbiDecoder(bytes);
        try {
          parseAbi(bytes);
        } catch (error) {
          expect(hasErrorCode(error, 'ABI_INVALID')).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('with a few changed bytes decode or are refused, without other errors', () => {
    const abi = lastAbis('leap-edge').get('types') ?? Buffer.alloc(0);
    const actions = parseAbi(abi).actions.map(({ name }) => name);
    const change = fc.tuple(fc.nat({ max: abi.length - 1 }), fc.nat({ max: 255 }));
    let decoders = 0;
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.uint8Array({ maxLength: 100, size: 'max' }),
        (changes, data) => {
          const changed = Buffer.from(abi);
          for (const [offset, byte] of changes) changed[offset] = byte;
          const decoder = createAbiDecoder(changed);
          if (decoder !== undefined) decoders++;
          for (const action of actions) decoder?.decodeAction(action, Buffer.from(data));
        },
      ),
      { numRuns: 500 },
    );
    expect(decoders).toBeGreaterThan(20);
  });

  it('with random types and random references compile or are refused', () => {
    const base = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'uint8', 'string', 'name', 'nothing');
    const suffix = fc.array(fc.constantFrom('[]', '?', '[2]', '$'), { maxLength: 3 }).map((parts) => parts.join(''));
    const typeName = fc
      .tuple(base, fc.oneof({ weight: 3, arbitrary: fc.constant('') }, suffix))
      .map((parts) => parts.join(''));
    const abis = fc.record({
      types: fc.array(fc.record({ new_type_name: fc.constantFrom('e', 'f'), type: typeName }), { maxLength: 2 }),
      structs: fc.array(
        fc.record({
          name: fc.constantFrom('a', 'b', 'c'),
          base: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, fc.constantFrom('a', 'b', 'e')),
          fields: fc.array(fc.record({ name: fc.constantFrom('x', 'y', '1', '__proto__'), type: typeName }), {
            maxLength: 4,
          }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      variants: fc.array(fc.record({ name: fc.constantFrom('d'), types: fc.array(typeName, { maxLength: 3 }) }), {
        maxLength: 1,
      }),
    });
    let compiled = 0;
    fc.assert(
      fc.property(abis, fc.uint8Array({ maxLength: 60, size: 'max' }), (parts, data) => {
        const abi = definition(parts);
        const decoder = compileOrRefuse(abi);
        if (decoder === undefined) return;
        compiled++;
        expect(createAbiDecoder(packAbi(abi))).toBeDefined();
        for (const { name } of abi.structs) failsToDecode(() => stringifyJson(decoder.decode(name, Buffer.from(data))));
      }),
      // The seed is fixed: the number of ABIs that compile depends on the seed, and the test needs a minimum.
      { numRuns: 2000, seed: 41 },
    );
    expect(compiled).toBeGreaterThan(100);
  });
});
