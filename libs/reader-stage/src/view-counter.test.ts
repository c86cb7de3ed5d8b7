import { ViewCounter } from './view-counter';

describe('the views of a reader', () => {
  it('begin with the session and go on one by one', () => {
    const views = new ViewCounter();
    views.beginSession(0, 5);
    expect([views.take(), views.take()]).toEqual([
      { session: 5_000, ordinal: 5_000 },
      { session: 5_000, ordinal: 5_001 },
    ]);
  });

  it('grow from session to session when the clock stands still or goes back', () => {
    const views = new ViewCounter();
    views.beginSession(0, 5);
    views.take();
    views.take();
    views.beginSession(0, 4);
    expect(views.take()).toEqual({ session: 5_002, ordinal: 5_002 });
  });

  it('grow beyond what another reader had committed', () => {
    const views = new ViewCounter();
    views.beginSession(9_000_000, 5);
    expect(views.take().ordinal).toBe(9_000_001);
  });
});
