import { constants } from 'node:buffer';
import type { Channel, GetMessage } from 'amqplib';
import { joinParts, type PartsReference } from './message-parts';
import type { ServerConnection } from './server-connection';

/** `joinParts` begins its last attempt before 15 s and waits 4 s for it; the rest is room for a busy machine. */
const GIVEN_UP_MS = 22_000;

describe('the parts of a message', () => {
  // A stub of the connection, because no command makes a server forget its member of a queue, and no sender sends wrong parts.
  function connectionWith(get: Channel['get']) {
    const opened = { channels: 0, connection: undefined as unknown as ServerConnection };
    const openChannel = () => {
      opened.channels++;
      const within = <T>(reply: Promise<T>): Promise<T> => reply;
      return Promise.resolve({ amqp: { get }, within, close: () => Promise.resolve() });
    };
    opened.connection = { openChannel } as unknown as ServerConnection;
    return opened;
  }

  const part = (offset: unknown, text: string): GetMessage =>
    ({
      properties: { headers: { 'history-part-offset': offset } },
      content: Buffer.from(text),
    }) as unknown as GetMessage;

  /** Joins the head `ab` with the parts that a queue returns to each channel. */
  async function join(parts: readonly GetMessage[], reference: Partial<PartsReference> = {}): Promise<string> {
    let next = 0;
    const { connection } = connectionWith(() => Promise.resolve(parts[next++ % (parts.length + 1)] ?? false));
    const whole = { queue: 'q.parts.1', count: parts.length, bytes: 6, ...reference };
    return (await joinParts(connection, Buffer.from('ab'), whole)).toString();
  }

  it('are given up in time when their queue does not answer', async () => {
    const startedAt = performance.now();
    const opened = connectionWith(() => new Promise(() => undefined));
    const joining = joinParts(opened.connection, Buffer.alloc(1), { queue: 'q.parts.1', count: 1, bytes: 2 });
    await expect(joining).rejects.toMatchObject({ code: 'MESSAGE_INCOMPLETE' });
    expect(performance.now() - startedAt).toBeLessThan(GIVEN_UP_MS);
    expect(opened.channels).toBeGreaterThan(1);
  });

  it('are put where they belong, whatever their order', async () => {
    expect(await join([part(5, 'f'), part(2, 'cde')])).toBe('abcdef');
    expect(await join([], { bytes: 2 })).toBe('ab');
  });

  it.each<[string, GetMessage[], Partial<PartsReference>]>([
    ['overlaps the head', [part(1, 'cdef')], {}],
    ['begins after the end', [part(6, 'cdef')], {}],
    ['names no place', [part(undefined, 'cdef')], {}],
    ['comes twice', [part(2, 'cd'), part(2, 'ef')], {}],
    ['is too short', [part(2, 'cde')], {}],
    ['leaves a gap', [part(2, 'c'), part(4, 'ef')], {}],
    ['is missing', [part(2, 'cdef')], { count: 2 }],
    ['would exceed a buffer', [part(2, 'cdef')], { bytes: constants.MAX_LENGTH + 1 }],
  ])('are not joined when one %s', async (_, parts, reference) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const joining = expect(join(parts, reference)).rejects.toMatchObject({ code: 'MESSAGE_INCOMPLETE' });
    await jest.advanceTimersByTimeAsync(20_000);
    jest.useRealTimers();
    await joining;
  });
});
