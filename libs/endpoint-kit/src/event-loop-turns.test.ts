import { setImmediate as nextIteration } from 'node:timers/promises';
import { EventLoopTurns } from './event-loop-turns';

function burn(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

/** Works for several turns of 6 ms each. */
async function work(turns: EventLoopTurns, count: number, onTurn: () => void): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await turns.take(turn > 0);
    burn(6);
    onTurn();
  }
}

describe('EventLoopTurns', () => {
  it('run one long turn per iteration of the event loop, for any number of waiting requests', async () => {
    const turns = new EventLoopTurns(() => 0);
    let inIteration = 0;
    let most = 0;
    const all = Promise.all(
      Array.from({ length: 10 }, () => work(turns, 2, () => (most = Math.max(most, ++inIteration)))),
    );
    const end = { isOver: false };
    void all.then(() => (end.isOver = true));
    while (!end.isOver) {
      await nextIteration();
      inIteration = 0;
    }
    // The test's own mark comes before or after the turn of its iteration.
    expect(most).toBeLessThanOrEqual(2);
  });

  it('run many short turns in one iteration', async () => {
    const turns = new EventLoopTurns(() => 0);
    let iterations = 0;
    const end = { isOver: false };
    const all = Promise.all(Array.from({ length: 100 }, () => turns.take(false))).then(() => (end.isOver = true));
    while (!end.isOver) {
      await nextIteration();
      iterations++;
    }
    await all;
    expect(iterations).toBeLessThan(50);
  });

  it('have their whole length from their start on, however long their request has waited', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const turns = new EventLoopTurns(() => 0);
    const first = turns.take(false).then((end) => {
      clock.mockReturnValue(1_003);
      return end;
    });
    expect(await Promise.all([first, turns.take(false)])).toEqual([1_010, 1_013]);
    clock.mockRestore();
  });

  it('wait for no connections when none has come since the last turn', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const turns = new EventLoopTurns(() => 7);
    await turns.take(false);
    clock.mockReturnValue(1_005);
    const turn = { isHad: false };
    void turns.take(true).then(() => (turn.isHad = true));
    for (let iteration = 0; iteration < 3; iteration++) await nextIteration();
    clock.mockRestore();
    expect(turn.isHad).toBe(true);
  });

  it('accept connections first, for a bounded time', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    let accepted = 0;
    const turns = new EventLoopTurns(() => ++accepted);
    await turns.take(false);
    clock.mockReturnValue(1_005);
    const turn = { isHad: false };
    const second = turns.take(true).then(() => (turn.isHad = true));
    for (let iteration = 0; iteration < 10; iteration++) await nextIteration();
    expect(turn.isHad).toBe(false);
    clock.mockReturnValue(1_020);
    await second;
    expect(accepted).toBeGreaterThan(5);
    clock.mockRestore();
  });

  it('let a new request overtake those that had a turn, without starving them', async () => {
    const turns = new EventLoopTurns(() => 0);
    const order: string[] = [];
    const begun = new Set<number>();
    const long = Array.from({ length: 8 }, (_, each) =>
      work(turns, 8, () => {
        begun.add(each);
        order.push('long');
      }),
    );
    while (begun.size < long.length) await nextIteration();
    order.length = 0;
    const short = Array.from({ length: 4 }, () => work(turns, 1, () => order.push('short')));
    await Promise.all([...long, ...short]);
    // Every second turn is theirs.
    expect(order.slice(0, 10).filter((kind) => kind === 'short')).toHaveLength(4);
    expect(order.slice(0, 4)).toContain('long');
  });
});
