import type { Channel } from 'amqplib';
import { joinParts } from './message-parts';
import type { ServerConnection } from './server-connection';

/** `joinParts` begins its last attempt before 15 s and waits 4 s for it; the rest is room for a busy machine. */
const GIVEN_UP_MS = 22_000;

describe('the parts of a message', () => {
  // A stub of the connection, because no command makes a server forget its member of a queue.
  it('are given up in time when their queue does not answer', async () => {
    const startedAt = performance.now();
    let channels = 0;
    const get: Channel['get'] = () => new Promise(() => undefined);
    const openChannel = () => {
      channels++;
      const within = <T>(reply: Promise<T>): Promise<T> => reply;
      return Promise.resolve({ amqp: { get }, within, close: () => Promise.resolve() });
    };
    const connection = { openChannel } as unknown as ServerConnection;
    const joining = joinParts(connection, Buffer.alloc(1), { queue: 'q.parts.1', count: 1, bytes: 2 });
    await expect(joining).rejects.toMatchObject({ code: 'MESSAGE_INCOMPLETE' });
    expect(performance.now() - startedAt).toBeLessThan(GIVEN_UP_MS);
    expect(channels).toBeGreaterThan(1);
  });
});
