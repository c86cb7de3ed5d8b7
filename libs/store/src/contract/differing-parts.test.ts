import { differingParts } from './differing-parts';

describe('differingParts', () => {
  it('leaves out equal properties and elements', () => {
    const actual = {
      status: { head: 1 },
      rows: [
        { n: 1, id: 'a' },
        { n: 2, id: 'b' },
      ],
    };
    const expected = {
      status: { head: 1 },
      rows: [
        { n: 1, id: 'a' },
        { n: 3, id: 'b' },
      ],
    };
    expect(differingParts(actual, expected)).toEqual([
      { rows: { length: 2, 1: { n: 2 } } },
      { rows: { length: 2, 1: { n: 3 } } },
    ]);
  });

  it('takes few elements of a list that differs everywhere', () => {
    const [actual] = differingParts(Array(10_000).fill(1), Array(10_000).fill(2));
    expect(actual).toEqual({ length: 10_000, 0: 1, 1: 1, 2: 1 });
  });

  it('shows an element that one list has in addition', () => {
    expect(differingParts([1], [1, 2])).toEqual([{ length: 1 }, { length: 2, 1: 2 }]);
  });

  it('shows bytes and texts from their first difference', () => {
    const bytes = Buffer.alloc(500_000);
    const changed = Buffer.from(bytes);
    changed[400_000] = 0xab;
    const [actual, expected] = differingParts({ data: bytes }, { data: changed });
    expect(actual).toEqual({ data: { length: 1_000_000, at: 800_000, hex: '0'.repeat(80) } });
    expect(expected).toEqual({ data: { length: 1_000_000, at: 800_000, hex: `ab${'0'.repeat(78)}` } });
    expect(differingParts('x'.repeat(100), 'x'.repeat(99))).toEqual([
      { length: 100, at: 99, text: 'x' },
      { length: 99, at: 99, text: '' },
    ]);
  });

  it('leaves other values as they are', () => {
    expect(differingParts(1, undefined)).toEqual([1, undefined]);
    expect(differingParts('a', 'b')).toEqual(['a', 'b']);
    expect(differingParts(new Map([[1, 2]]), new Map())).toEqual([new Map([[1, 2]]), new Map()]);
  });
});
