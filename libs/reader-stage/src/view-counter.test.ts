import { ViewCounter } from './view-counter';

describe('the stream positions of a reader', () => {
  it('begin with the epoch and increase by one', () => {
    const views = new ViewCounter();
    views.beginSession(0, 5);
    expect([views.take(), views.take()]).toEqual([
      { session: 5_000, ordinal: 5_000 },
      { session: 5_000, ordinal: 5_001 },
    ]);
  });

  it('increase from epoch to epoch when the clock stops or goes back', () => {
    const views = new ViewCounter();
    views.beginSession(0, 5);
    views.take();
    views.take();
    views.beginSession(0, 4);
    expect(views.take()).toEqual({ session: 5_002, ordinal: 5_002 });
  });

  it('are higher than the committed sequences of another reader', () => {
    const views = new ViewCounter();
    views.beginSession(9_000_000, 5);
    expect(views.take().ordinal).toBe(9_000_001);
  });
});
