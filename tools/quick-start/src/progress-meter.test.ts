import { ProgressMeter } from './progress-meter';
import { describeProgress } from './progress-view';

describe('ProgressMeter', () => {
  it('gives a rate of 0 at first and while nothing is committed', () => {
    const meter = new ProgressMeter();
    const sample = { atMs: 1000, block: 5, blocks: 0, actions: 0 };
    expect(meter.measure(sample, { firstBlock: 1, target: 100 })).toMatchObject({
      blocksPerSecond: 0,
      secondsLeft: undefined,
    });
    expect(meter.measure({ ...sample, atMs: 2000 }, { firstBlock: 1, target: 100 })).toMatchObject({
      blocksPerSecond: 0,
      secondsLeft: undefined,
    });
  });

  it('gives the rates of the last ten seconds and the time left at these rates', () => {
    const meter = new ProgressMeter();
    const extent = { firstBlock: 1, target: 70_000 };
    // A fast minute, then ten blocks a second.
    for (let second = 0; second <= 60; second++) {
      meter.measure({ atMs: second * 1000, block: second * 1000, blocks: second * 1000, actions: 0 }, extent);
    }
    let progress;
    for (let second = 1; second <= 20; second++) {
      const blocks = 60_000 + second * 10;
      progress = meter.measure({ atMs: 60_000 + second * 1000, block: blocks, blocks, actions: second * 50 }, extent);
    }
    expect(progress).toEqual({
      firstBlock: 1,
      block: 60_200,
      target: 70_000,
      blocksPerSecond: 10,
      actionsPerSecond: 50,
      secondsLeft: 980,
    });
  });

  it('has no target below the committed block', () => {
    const sample = { atMs: 1000, block: 231, blocks: 230, actions: 0 };
    expect(new ProgressMeter().measure(sample, { firstBlock: 1, target: 1 }).target).toBe(231);
    expect(new ProgressMeter().measure(sample, { firstBlock: 1, target: undefined }).target).toBeUndefined();
  });

  it('gives no time left when the target is passed', () => {
    const meter = new ProgressMeter();
    meter.measure({ atMs: 0, block: 1, blocks: 1, actions: 0 }, { firstBlock: 1, target: 2 });
    expect(
      meter.measure({ atMs: 1000, block: 3, blocks: 3, actions: 0 }, { firstBlock: 1, target: 2 }).secondsLeft,
    ).toBe(0);
  });
});

describe('describeProgress', () => {
  it('leaves out unknown figures', () => {
    const rates = { blocksPerSecond: 0, actionsPerSecond: 0, secondsLeft: undefined };
    expect(describeProgress({ firstBlock: 1, block: 7, target: undefined, ...rates })).toBe('block 7');
    expect(
      describeProgress({
        firstBlock: 1,
        block: 1200,
        target: 5000,
        blocksPerSecond: 100,
        actionsPerSecond: 12_345.6,
        secondsLeft: 38,
      }),
    ).toBe('block 1,200 of 5,000, 100 blocks/s, 12,346 actions/s, 38 s left');
  });
});
