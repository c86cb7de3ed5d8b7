import fc from 'fast-check';
import { hasErrorCode } from '@antelope-history/schemas';
import { blockTimestampToMs, blockTimestampToString, timePointSecToString, timePointToString } from './time';

describe('times', () => {
  it('prints block timestamps', () => {
    expect(blockTimestampToString(0)).toBe('2000-01-01T00:00:00.000');
    expect(blockTimestampToString(1_640_995_201)).toBe('2025-12-31T12:00:00.500');
    expect(blockTimestampToString(0xffffffff)).toBe('2068-01-19T03:14:07.500');
    expect(blockTimestampToMs(3)).toBe(Date.UTC(2000, 0, 1) + 1500);
  });

  it('prints seconds', () => {
    expect(timePointSecToString(0)).toBe('1970-01-01T00:00:00');
    expect(timePointSecToString(1234567890)).toBe('2009-02-13T23:31:30');
    expect(timePointSecToString(0xffffffff)).toBe('2106-02-07T06:28:15');
  });

  it('prints what Date prints, for any order of times', () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffffffff }), fc.bigInt(0n, 253402300799999n), (number, milliseconds) => {
        expect(blockTimestampToString(number)).toBe(new Date(blockTimestampToMs(number)).toISOString().slice(0, 23));
        expect(timePointSecToString(number)).toBe(new Date(number * 1000).toISOString().slice(0, 19));
        expect(timePointToString(milliseconds * 1000n)).toBe(new Date(Number(milliseconds)).toISOString().slice(0, 23));
      }),
    );
  });

  it('truncates microseconds to milliseconds', () => {
    expect(timePointToString(1529090267000999n)).toBe('2018-06-15T19:17:47.000');
    expect(timePointToString(253402300799999999n)).toBe('9999-12-31T23:59:59.999');
  });

  it('prints a negative time as a duration, as the node does', () => {
    expect(timePointToString(-1n)).toBe('-000000.000001');
    expect(timePointToString(-3_661_000_000n)).toBe('-010101');
    expect(timePointToString(-360_000_500_000n)).toBe('-1000000.500000');
    expect(timePointToString(-(1n << 63n))).toBe('-infinity');
  });

  // Printed by Boost 1.74, as fc::time_point does.
  it.each([
    [2050128943632000000n, '1400-01-01T06:07:12.000'],
    [2050134019500000000n, '1400-03-01T00:05:00.000'],
    [2069883595584000000n, '2026-01-01T01:26:24.000'],
    [2321487173880000000n, '9999-01-01T12:18:00.000'],
    [4389603580152000000n, '9998-12-31T23:49:12.000'],
    [8368083189648001024n, '5000-01-01T16:40:48.001'],
  ])('prints the year of %s us modulo 65536, as the node does', (microseconds, text) =>
    expect(timePointToString(microseconds)).toBe(text),
  );

  it.each([253402300800000000n, 2050128921560000000n, 2321518730832000000n, (1n << 63n) - 1n])(
    'fails in a year that the calendar does not have, as the node does: %s us',
    (microseconds) => {
      try {
        timePointToString(microseconds);
      } catch (error) {
        expect(hasErrorCode(error, 'DECODE_FAILED')).toBe(true);
        return;
      }
      throw new Error('nothing was thrown');
    },
  );
});
