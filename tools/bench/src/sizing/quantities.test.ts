import { markdownTable } from '../markdown-table';
import { formatBytes, formatCount, formatDays, formatMemory } from './quantities';

describe('a quantity', () => {
  it('has two or three digits and its unit', () => {
    expect([0, 950, 1_000, 21_149_000_000_000].map(formatBytes)).toEqual(['0 bytes', '950 bytes', '1 kB', '21 TB']);
    expect([64 * 2 ** 30, 443.4 * 2 ** 20].map(formatMemory)).toEqual(['64 GiB', '443 MiB']);
    expect([400, 200_000, 400_000_000, 1e11].map(formatCount)).toEqual([
      '400',
      '200,000',
      '400 million',
      '100 billion',
    ]);
    expect([8.94, 0.25, 0.01].map(formatDays)).toEqual(['8.9 days', '6 hours', '14 minutes']);
  });
});

describe('a table', () => {
  it('has cells of equal width', () => {
    expect(
      markdownTable([
        ['a', 'long heading'],
        ['value', '–'],
      ]),
    ).toBe('| a     | long heading |\n| ----- | ------------ |\n| value | –            |\n');
  });
});
