import fc from 'fast-check';
import { ByteReader } from './byte-reader';
import { readFloat32, readFloat64 } from './float';

function double(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return readFloat64(new ByteReader(bytes));
}

const fromHex = (hex: string): ByteReader => new ByteReader(Buffer.from(hex, 'hex'));

/** The decimal digits of a double, computed with exact integer arithmetic and rounded half to even at 17 decimals. */
function exactDigits(value: number): string {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const exponent = (bits.getUint16(0) >> 4) & 0x7ff;
  const fraction = bits.getBigUint64(0) & ((1n << 52n) - 1n);
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
  const shift = BigInt(Math.max(exponent, 1) - 1075);
  const scaled = mantissa * 10n ** 17n;
  let rounded = shift >= 0n ? scaled << shift : scaled >> -shift;
  if (shift < 0n) {
    const rest = scaled - (rounded << -shift);
    const half = 1n << (-shift - 1n);
    if (rest > half || (rest === half && (rounded & 1n) === 1n)) rounded += 1n;
  }
  const digits = String(rounded).padStart(18, '0');
  return `${value < 0 || Object.is(value, -0) ? '-' : ''}${digits.slice(0, -17)}.${digits.slice(-17)}`;
}

describe('floating-point numbers', () => {
  it.each([
    [0.125, '0.12500000000000000'],
    [-0, '-0.00000000000000000'],
    [-1e-300, '-0.00000000000000000'],
    [1.1, '1.10000000000000009'],
    [2 ** -18, '0.00000381469726562'],
    [3 * 2 ** -18, '0.00001144409179688'],
    [1e21, '1000000000000000000000.00000000000000000'],
    [Infinity, 'inf'],
    [-Infinity, '-inf'],
  ])('prints %d', (value, text) => expect(double(value)).toBe(text));

  it('prints NaN with its sign', () => {
    expect(readFloat64(fromHex('000000000000f87f'))).toBe('nan');
    expect(readFloat64(fromHex('000000000000f8ff'))).toBe('-nan');
    expect(readFloat32(fromHex('0000c0ff'))).toBe('-nan');
  });

  it('prints a float32 as the double with the same value', () => {
    expect(readFloat32(fromHex('cdcccc3d'))).toBe('0.10000000149011612');
    expect(readFloat32(fromHex('ffff7f7f'))).toBe('340282346638528859811704183484516925440.00000000000000000');
  });

  it('prints every double with its exact digits', () => {
    const tie = fc.integer({ min: -(2 ** 30), max: 2 ** 30 }).map((odd) => (2 * odd + 1) * 2 ** -18);
    const any = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.oneof(any, tie), (value) => expect(double(value)).toBe(exactDigits(value))),
      { numRuns: 2000 },
    );
  });
});
