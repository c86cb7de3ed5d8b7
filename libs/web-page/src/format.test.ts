import {
  formatBytes,
  formatChainTime,
  formatName,
  formatNumber,
  formatRate,
  formatSeconds,
  shorten,
} from './format.js';

it('texts for people', () => {
  expect([0, 1_234_567, null, undefined].map((value) => formatNumber(value))).toEqual(['0', '1,234,567', '–', '–']);
  expect([0, 4.25, 99.94, 1_234.5].map(formatRate)).toEqual(['0', '4.3', '99.9', '1,235']);
  expect([0, 1_023, 1_536, 5_000_000_000, 2 ** 60].map(formatBytes)).toEqual([
    '0 B',
    '1,023 B',
    '1.5 KiB',
    '4.7 GiB',
    '1,024 PiB',
  ]);
  expect([-1, 0, 89, 90, 3_600 * 2, 86_400 * 3, null].map(formatSeconds)).toEqual([
    '0 seconds',
    '0 seconds',
    '89 seconds',
    '2 minutes',
    '2 hours',
    '3 days',
    '–',
  ]);
  expect(formatChainTime('2026-01-02T03:04:05.500')).toBe('2026-01-02 03:04:05.500');
  expect(formatChainTime('2026-01-02T03:04:05.000Z')).toBe('2026-01-02 03:04:05');
  expect(formatChainTime('2026-01-02T03:04:05.000')).toBe('2026-01-02 03:04:05');
  expect(['0123456789', '012345678'].map((id) => shorten(id))).toEqual(['01234567…', '012345678']);
  expect(['history_api', 'trace-api', 'reader'].map(formatName)).toEqual(['History API', 'Trace API', 'Reader']);
});
