import { StallWatch } from './stall-watch';

describe('StallWatch', () => {
  it('raises no alarm while nothing is written', () => {
    const watch = new StallWatch(100);
    watch.observe(7);
    expect(watch.isStalled(1_000_000)).toBe(false);
  });

  it('raises no alarm while the head moves', () => {
    const watch = new StallWatch(100);
    for (let now = 0; now < 1_000; now += 50) {
      watch.written(now);
      watch.observe(now);
      expect(watch.isStalled(now)).toBe(false);
    }
  });

  it('measures from the first write since the head moved', () => {
    const watch = new StallWatch(100);
    watch.observe(7);
    watch.written(1_000);
    watch.written(1_090);
    watch.observe(7);
    expect([watch.isStalled(1_099), watch.isStalled(1_100)]).toEqual([false, true]);
  });

  it('doubles the wait between alarms, up to a limit, until the head moves', () => {
    const watch = new StallWatch(100);
    const alarms: number[] = [];
    for (let now = 0; now < 10_000; now += 10) {
      watch.written(now);
      if (watch.isStalled(now)) alarms.push(now);
    }
    const waits = alarms.slice(1).map((at, index) => at - alarms[index]!);
    expect(waits.slice(0, 6)).toEqual([210, 410, 810, 1_610, 1_610, 1_610]);
    watch.observe(8);
    watch.written(20_000);
    expect(watch.isStalled(20_100)).toBe(true);
  });
});
