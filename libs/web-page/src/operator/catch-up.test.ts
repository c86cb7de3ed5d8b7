import type { StatusResponse } from '@antelope-history/schemas';
import { catchUpOf } from './catch-up.js';

type Facts = Partial<StatusResponse['health']>;

function at(facts: Facts, samples: [number, number, number][] = []) {
  const health = { status: 'catching_up', first_block_num: 1, ...facts } as StatusResponse['health'];
  return catchUpOf({
    health,
    samples: samples.map(([seconds, head, committed]) => ({
      at: seconds * 1000,
      head_block_num: head,
      committed_block_num: committed,
      blocks_per_second: 0,
      actions_per_second: 0,
    })),
  });
}

describe('catchUpOf', () => {
  it('counts from the first block that there is', () => {
    const facts = { first_block_num: 1_001, head_block_num: 2_000, committed_block_num: 1_500 };
    expect(at(facts)).toEqual({ percent: 50, secondsLeft: undefined });
  });

  it('says 100 % only when all is committed', () => {
    expect(at({ head_block_num: 1_000_000, committed_block_num: 999_999 }).percent).toBe(99.99);
    expect(at({ head_block_num: 7, committed_block_num: 7, first_block_num: 7 }).percent).toBe(100);
    expect(at({ head_block_num: 7, committed_block_num: null }).percent).toBeUndefined();
  });

  it('tells the time that is left from the pace of the last five minutes', () => {
    const facts = { head_block_num: 10_600, committed_block_num: 4_600 };
    // The head moves by 2 blocks per second, the committed head by 22: the distance shrinks by 20.
    const samples: [number, number, number][] = [
      [0, 1, 1],
      [700, 10_400, 2_400],
      [800, 10_600, 4_600],
    ];
    expect(at(facts, samples).secondsLeft).toBe(300);
  });

  it.each<[string, Facts, [number, number, number][]]>([
    [
      'a service that has caught up',
      { status: 'ok' },
      [
        [0, 100, 10],
        [60, 100, 90],
      ],
    ],
    [
      'a service that falls behind',
      {},
      [
        [0, 100, 90],
        [60, 200, 91],
      ],
    ],
    [
      'too short a time',
      {},
      [
        [0, 100, 10],
        [20, 100, 90],
      ],
    ],
    ['no samples', {}, []],
  ])('tells no time for %s', (_name, facts, samples) => {
    expect(at({ head_block_num: 100, committed_block_num: 90, ...facts }, samples).secondsLeft).toBeUndefined();
  });
});
