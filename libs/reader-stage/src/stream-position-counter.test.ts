import { StreamPositionCounter } from './stream-position-counter';

describe('the stream positions of a reader', () => {
  it('begin with the epoch and increase by one', () => {
    const positions = new StreamPositionCounter();
    positions.beginEpoch(0, 0, 5_000);
    expect([positions.take(), positions.take()]).toEqual([
      { epoch: 5_000_000, sequence: 5_000_000 },
      { epoch: 5_000_000, sequence: 5_000_001 },
    ]);
  });

  it('increase from epoch to epoch when the clock stops or goes back', () => {
    const positions = new StreamPositionCounter();
    positions.beginEpoch(0, 0, 5_000);
    positions.take();
    positions.take();
    positions.beginEpoch(0, 0, 4_000);
    expect(positions.take()).toEqual({ epoch: 5_000_002, sequence: 5_000_002 });
  });

  it('are higher than those of another reader whose clock is ahead and whose messages are not committed yet', () => {
    const ahead = new StreamPositionCounter();
    const lastEpoch = ahead.beginEpoch(0, 0, 90_000);
    let newest = 0;
    for (let sent = 0; sent < 2_000; sent++) newest = ahead.take().sequence;
    const behind = new StreamPositionCounter();
    behind.beginEpoch(7_000, lastEpoch, 5_000);
    expect(behind.take().sequence).toBeGreaterThan(newest);
  });

  it('stay integers when the clock is centuries ahead, and go on from there when it is right again', () => {
    const ahead = new StreamPositionCounter();
    const lastEpoch = ahead.beginEpoch(0, 0, Date.UTC(2300, 0));
    const [first, second] = [ahead.take().sequence, ahead.take().sequence];
    expect([second - first, Number.isSafeInteger(second)]).toEqual([1, true]);
    const right = new StreamPositionCounter();
    right.beginEpoch(first, lastEpoch, Date.UTC(2026, 0));
    expect(right.take().sequence).toBeGreaterThan(second);
    expect(Number.isSafeInteger(right.take().sequence + 1e12)).toBe(true);
  });

  it('are higher than the committed sequences of another reader', () => {
    const positions = new StreamPositionCounter();
    positions.beginEpoch(9_000_000, 0, 5);
    expect(positions.take().sequence).toBe(10_000_000);
  });
});
