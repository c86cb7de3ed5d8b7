import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { LargeResponses } from '@antelope-history/endpoint-kit';
import { HistoryError } from '@antelope-history/schemas';
import { LargeResponseServer, LargeResponseClient } from './shared-large-responses';

/** A client and its server, between which messages take a turn of the event loop. */
function connect(limit: LargeResponses): LargeResponseClient {
  const server = new LargeResponseServer(limit, (reply) => void setImmediate().then(() => thread.receive(reply)));
  const thread = new LargeResponseClient((request) => void setImmediate().then(() => server.receive(request)));
  return thread;
}

const staying = new AbortController().signal;
const TURNS = 10;
async function messages(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await setImmediate();
}

describe('a limit on large responses that threads share', () => {
  it('admits two of all threads at once', async () => {
    const limit = new LargeResponses();
    const [one, other] = [connect(limit), connect(limit)];
    await Promise.all([one.enter(staying), other.enter(staying)]);
    let entered = false;
    const third = one.enter(staying).then(() => (entered = true));
    await messages();
    expect(entered).toBe(false);
    other.leave();
    await third;
    one.leave();
    one.leave();
    await Promise.all([other.enter(staying), other.enter(staying)]);
  });

  it('keeps no place of a client that leaves, before and after its turn has come', async () => {
    const limit = new LargeResponses();
    const thread = connect(limit);
    await Promise.all([thread.enter(staying), thread.enter(staying)]);
    const reason = new HistoryError('CLIENT_LEFT', 'gone');
    const waiting = new AbortController();
    const first = expect(thread.enter(waiting.signal)).rejects.toBe(reason);
    await messages();
    waiting.abort(reason);
    await first;
    thread.leave();
    await messages();
    // Its turn comes while the message that it has left is on the way.
    const leaving = new AbortController();
    const second = expect(thread.enter(leaving.signal)).rejects.toBe(reason);
    await setImmediate();
    leaving.abort(reason);
    await second;
    await messages();
    await thread.enter(staying);
  });

  it('passes on that too many wait', async () => {
    const limit = new LargeResponses();
    const thread = connect(limit);
    await Promise.all([thread.enter(staying), thread.enter(staying)]);
    const waiting = new AbortController();
    setMaxListeners(0, waiting.signal);
    const others = Array.from({ length: 64 }, () => thread.enter(waiting.signal));
    await messages();
    await expect(thread.enter(staying)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    waiting.abort(new Error('over'));
    await Promise.allSettled(others);
  });
});
