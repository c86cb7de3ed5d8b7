import { hasErrorCode } from '@antelope-history/schemas';
import { Name, UInt64 } from '@wharfkit/antelope';
import fc from 'fast-check';
import { isName, nameFromString, nameToSortableBytes, readName, writeName } from './name';

const uint64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const ALPHABET = '.12345abcdefghijklmnopqrstuvwxyz';

/** The text of a value, computed without the cache of `readName`. */
function textOf(value: bigint): string {
  const symbols = Array.from({ length: 12 }, (_, index) => ALPHABET[Number((value >> BigInt(59 - 5 * index)) & 31n)]);
  return [...symbols, ALPHABET[Number(value & 15n)]].join('').replace(/\.+$/, '');
}

function readValue(value: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return readName(bytes, 0);
}

describe('names', () => {
  it.each([
    ['', 0n],
    ['foobar', 0x5d28735c00000000n],
    ['eosio', 6138663577826885632n],
    ['eosio.token', 6138663591592764928n],
    ['zzzzzzzzzzzzj', 18446744073709551615n],
    ['............1', 1n],
  ])('%s is %d', (text, value) => {
    expect(nameFromString(text)).toBe(value);
    expect(readValue(value)).toBe(text);
    expect(isName(text)).toBe(true);
  });

  it.each(['ABC', 'a_b', 'name6', 'trailing.', '.', 'fourteenchars.', 'zzzzzzzzzzzzk', 'aaaaaaaaaaaaaa', 'é', ' a'])(
    'refuses %p',
    (text) => {
      expect(isName(text)).toBe(false);
      try {
        nameFromString(text);
      } catch (error) {
        if (!hasErrorCode(error, 'INVALID_NAME')) throw error;
        expect(error.message).toContain('a-z, 1-5');
        return;
      }
      throw new Error('nothing was thrown');
    },
  );

  it('prints and parses every value as wharfkit does', () => {
    fc.assert(
      fc.property(uint64, (value) => {
        const text = readValue(value);
        expect(text).toBe(String(Name.from(UInt64.from(value.toString()))));
        expect(nameFromString(text)).toBe(value);
      }),
      { numRuns: 500 },
    );
  });

  it('reads every name correctly when there are more names than cache slots', () => {
    const short = Array.from({ length: 60_000 }, (_, i) => BigInt(i) << 32n);
    const long = short.map((value) => (value * 0x9e3779b97f4a7c15n + (value >> 32n)) & ((1n << 64n) - 1n));
    const values = [...short, ...short.map((value) => value >> 32n), ...long];
    for (const value of [...values, ...values.slice(0, 100), 0n]) {
      if (readValue(value) !== textOf(value)) throw new Error(`value ${value} was read wrong`);
    }
  });

  it('writes a name and reads it back', () => {
    const bytes = Buffer.alloc(10);
    writeName('eosio.token', bytes, 1);
    expect(bytes.toString('hex')).toBe('0000a6823403ea305500');
    expect(readName(bytes, 1)).toBe('eosio.token');
  });

  it('sorts the bytes of names in the order of the names', () => {
    fc.assert(
      fc.property(uint64, uint64, (left, right) => {
        const order = Buffer.compare(nameToSortableBytes(textOf(left)), nameToSortableBytes(textOf(right)));
        expect(order).toBe(left < right ? -1 : left > right ? 1 : 0);
      }),
    );
  });
});
