import { MAX_CLIENTS, WindowCounts } from './window-counts';

describe('WindowCounts', () => {
  it('count per client, and start again with each window', () => {
    const counts = new WindowCounts();
    expect([counts.count('a', 60), counts.count('a', 60), counts.count('b', 60)]).toEqual([1, 2, 1]);
    expect([counts.count('a', 120), counts.count('a', 120)]).toEqual([1, 2]);
  });

  it('drop the oldest clients when there are too many', () => {
    const counts = new WindowCounts();
    for (let client = 0; client < MAX_CLIENTS; client++) counts.count(`${client}`, 60);
    expect(counts.count('one more', 60)).toBe(1);
    expect(counts.count(`${MAX_CLIENTS - 1}`, 60)).toBe(2);
    expect(counts.count('1', 60)).toBe(2);
    expect(counts.count('0', 60)).toBe(1);
  });
});
