import { StreamPositionCounter } from './stream-position-counter';

describe('the stream positions of a reader', () => {
  it('begin with the epoch and increase by one', () => {
    const positions = new StreamPositionCounter();
    positions.beginEpoch(0, 5);
    expect([positions.take(), positions.take()]).toEqual([
      { epoch: 5_000, sequence: 5_000 },
      { epoch: 5_000, sequence: 5_001 },
    ]);
  });

  it('increase from epoch to epoch when the clock stops or goes back', () => {
    const positions = new StreamPositionCounter();
    positions.beginEpoch(0, 5);
    positions.take();
    positions.take();
    positions.beginEpoch(0, 4);
    expect(positions.take()).toEqual({ epoch: 5_002, sequence: 5_002 });
  });

  it('are higher than the committed sequences of another reader', () => {
    const positions = new StreamPositionCounter();
    positions.beginEpoch(9_000_000, 5);
    expect(positions.take().sequence).toBe(9_000_001);
  });
});
