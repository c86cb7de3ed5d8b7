import { HistoryError } from '@antelope-history/schemas';
import { AckWindow, type BlocksResult } from '@antelope-history/ship';
import { MessageWindow } from './message-window';
import type { ShipSession } from './ship-session';

const RESULT = {} as BlocksResult;

/** A window over a session that records its calls; the test completes each publication. */
function setUp(window: number, maxBytes: number) {
  const calls: string[] = [];
  const published: (() => void)[] = [];
  const failed: ((reason: HistoryError) => void)[] = [];
  const session: Pick<ShipSession, 'pause' | 'resume' | 'acknowledge' | 'close'> = {
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    acknowledge: (count) => void calls.push(`acknowledge ${count}`),
    close: (reason) => void calls.push(reason.code),
  };
  const publish = (): Promise<void> =>
    new Promise((resolve, reject) => {
      published.push(resolve);
      failed.push(reject);
    });
  const messages = new MessageWindow(session as ShipSession, new AckWindow(window), maxBytes, publish);
  return { calls, published, failed, messages };
}

describe('MessageWindow', () => {
  it('pauses the socket above its bytes and acknowledges published messages', async () => {
    const { calls, published, messages } = setUp(4, 100);
    messages.add(RESULT, Buffer.alloc(60));
    expect(calls).toEqual([]);
    messages.add(RESULT, Buffer.alloc(60));
    expect(calls).toEqual(['pause']);
    published.forEach((resolve) => resolve());
    await messages.idle();
    expect(calls).toEqual(['pause', 'resume', 'acknowledge 2']);
  });

  it('accepts one message that is larger than its bytes', async () => {
    const { calls, published, messages } = setUp(4, 100);
    messages.add(RESULT, Buffer.alloc(1_000));
    published.forEach((resolve) => resolve());
    await messages.idle();
    expect(calls).toEqual(['pause', 'resume', 'acknowledge 1']);
  });

  it('refuses more messages than the acknowledgement window', () => {
    const { messages } = setUp(2, 100);
    messages.add(RESULT, Buffer.alloc(1));
    messages.add(RESULT, Buffer.alloc(1));
    expect(() => messages.add(RESULT, Buffer.alloc(1))).toThrow(HistoryError);
  });

  it('ends the session when a message cannot be published, and does not acknowledge it', async () => {
    const { calls, failed, messages } = setUp(2, 100);
    messages.add(RESULT, Buffer.alloc(1));
    failed[0]?.(new HistoryError('BROKER_UNAVAILABLE', 'refused by the test'));
    await messages.idle();
    expect(calls).toEqual(['BROKER_UNAVAILABLE']);
  });

  it('publishes nothing after it was closed', async () => {
    const { calls, published, messages } = setUp(2, 100);
    messages.close();
    messages.add(RESULT, Buffer.alloc(1));
    await messages.idle();
    expect([calls, published]).toEqual([[], []]);
  });
});
