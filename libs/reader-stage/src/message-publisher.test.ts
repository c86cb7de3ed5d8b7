import { HistoryError } from '@antelope-history/schemas';
import { AckWindow, type BlocksResult } from '@antelope-history/ship';
import { MessagePublisher } from './message-publisher';
import type { ShipSession } from './ship-session';

const RESULT = {} as BlocksResult;

/** A publisher over a session that only notes what it is told; messages are published when the test says so. */
function standOf(window: number, maxBytes: number) {
  const told: string[] = [];
  const published: (() => void)[] = [];
  const session: Pick<ShipSession, 'pause' | 'resume' | 'acknowledge' | 'close'> = {
    pause: () => void told.push('pause'),
    resume: () => void told.push('resume'),
    acknowledge: (messages) => void told.push(`acknowledge ${messages}`),
    close: (reason) => void told.push(reason.code),
  };
  const publish = (): Promise<void> => new Promise((resolve) => published.push(resolve));
  const publisher = new MessagePublisher(session as ShipSession, new AckWindow(window), maxBytes, publish);
  return { told, published, publisher };
}

describe('the messages of a session that wait to be published', () => {
  it('stop the reading beyond their bytes, and are acknowledged when they are published', async () => {
    const { told, published, publisher } = standOf(4, 100);
    publisher.add(RESULT, Buffer.alloc(60));
    expect(told).toEqual([]);
    publisher.add(RESULT, Buffer.alloc(60));
    expect(told).toEqual(['pause']);
    published.forEach((resolve) => resolve());
    await publisher.idle();
    expect(told).toEqual(['pause', 'resume', 'acknowledge 2']);
  });

  it('may be one that is larger than all may be', async () => {
    const { told, published, publisher } = standOf(4, 100);
    publisher.add(RESULT, Buffer.alloc(1_000));
    published.forEach((resolve) => resolve());
    await publisher.idle();
    expect(told).toEqual(['pause', 'resume', 'acknowledge 1']);
  });

  it('are no more than the node was given credit for', () => {
    const { publisher } = standOf(2, 100);
    publisher.add(RESULT, Buffer.alloc(1));
    publisher.add(RESULT, Buffer.alloc(1));
    expect(() => publisher.add(RESULT, Buffer.alloc(1))).toThrow(HistoryError);
  });
});
