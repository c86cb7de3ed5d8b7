import { setImmediate as nextIteration } from 'node:timers/promises';
import { HistoryError } from '@antelope-history/schemas';
import { LargeResponses } from './large-responses';
import { RequestWork } from './request-work';

/** Blocks the event loop for the given milliseconds. */
function burn(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

function* burning(steps: number): Generator<void, string> {
  for (let step = 0; step < steps; step++) {
    burn(4);
    yield;
  }
  return 'done';
}

const workOf = (responses = new LargeResponses(), signal = new AbortController().signal) =>
  new RequestWork(responses, signal);

describe('RequestWork', () => {
  it('lets other requests run between turns', async () => {
    const order: string[] = [];
    const long = workOf()
      .run(burning(100))
      .then(() => order.push('long'));
    const short = workOf()
      .run(burning(2))
      .then(() => order.push('short'));
    await Promise.all([long, short]);
    expect(order).toEqual(['short', 'long']);
  });

  it('stops when the client disconnects', async () => {
    const client = new AbortController();
    let steps = 0;
    function* counted(): Generator<void, void> {
      for (const end = performance.now() + 2000; performance.now() < end; steps++) {
        burn(4);
        yield;
      }
    }
    const running = workOf(new LargeResponses(), client.signal).run(counted());
    setImmediate(() => client.abort(new HistoryError('CLIENT_LEFT', 'gone')));
    await expect(running).rejects.toMatchObject({ code: 'CLIENT_LEFT' });
    expect(steps).toBeLessThan(100);
  });

  it('renders two large responses at once, without delaying small ones', async () => {
    const responses = new LargeResponses();
    const finished: string[] = [];
    const large = async (name: string): Promise<void> => {
      const work = workOf(responses);
      work.budget.take(5 * 1024 * 1024);
      await work.run(burning(20));
      finished.push(name);
      work.end();
    };
    const small = async (): Promise<void> => {
      await workOf(responses).run(burning(5));
      finished.push('small');
    };
    await Promise.all([large('first'), large('second'), large('third'), small()]);
    expect([finished[0], finished.at(-1)]).toEqual(['small', 'third']);
  });

  it('costs one unit, and more for bytes and decoding', () => {
    const work = workOf();
    expect(work.cost()).toBe(1);
    work.budget.take(640 * 1024);
    work.budget.decoding.settle(5 * 512 * 1024);
    expect(work.cost()).toBe(16);
  });

  it('counts the steps of a search, and a long one as a large response', async () => {
    const responses = new LargeResponses();
    const works = [workOf(responses), workOf(responses), workOf(responses)];
    const searches = works.map((work) => work.pauseSearch(1_000_000));
    await Promise.all(searches.slice(0, 2));
    expect(works[0]?.cost()).toBe(16);
    let isThirdRunning = false;
    void searches[2]?.then(() => (isThirdRunning = true));
    await workOf(responses).run(burning(5));
    expect(isThirdRunning).toBe(false);
    works[0]?.end();
    await searches[2];
  });

  it('is one of the large responses once, also when its search was long before', async () => {
    const responses = new LargeResponses();
    const work = workOf(responses);
    await work.pauseSearch(1_000_000);
    await work.becomeLarge();
    await expect(workOf(responses).becomeLarge()).resolves.toBeUndefined();
  });

  it('gives the place of a large response up once, and none if it had none', async () => {
    const responses = new LargeResponses();
    const large = [workOf(responses), workOf(responses)];
    for (const work of large) await work.becomeLarge();
    const started: string[] = [];
    for (const name of ['third', 'fourth']) {
      void workOf(responses)
        .becomeLarge()
        .then(() => started.push(name));
    }
    const small = workOf(responses);
    await small.run(burning(1));
    small.end();
    await workOf(responses).run(burning(5));
    expect(started).toEqual([]);
    large[0]?.end();
    large[0]?.end();
    while (started.length === 0) await nextIteration();
    await workOf(responses).run(burning(5));
    expect(started).toEqual(['third']);
    large[1]?.end();
    while (started.length < 2) await nextIteration();
  });

  it('ends a search whose client disconnected', async () => {
    const client = new AbortController();
    const work = workOf(new LargeResponses(), client.signal);
    await work.pauseSearch(1);
    client.abort(new HistoryError('CLIENT_LEFT', 'gone'));
    await expect(work.pauseSearch(1)).rejects.toMatchObject({ code: 'CLIENT_LEFT' });
  });
});
