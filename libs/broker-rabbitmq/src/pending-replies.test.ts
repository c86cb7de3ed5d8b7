import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PendingReplies } from './pending-replies';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('PendingReplies', () => {
  let end: (reason: Error) => void;
  let replies: PendingReplies;
  beforeEach(() => {
    replies = new PendingReplies(new Promise((resolve) => (end = resolve)));
  });

  it('give the reply, or its error', async () => {
    expect(await replies.within(Promise.resolve(1))).toBe(1);
    await expect(replies.within(Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  it('reject all that wait when the end comes, and all later ones', async () => {
    const never = new Promise(() => undefined);
    const waiting = [replies.within(never), replies.within(never)].map((each) => expect(each).rejects.toThrow('ended'));
    end(new Error('ended'));
    await Promise.all(waiting);
    await expect(replies.within(Promise.resolve(1))).rejects.toThrow('ended');
    // Jest fails a test that leaves a rejection unhandled.
    await expect(replies.within(Promise.reject(new Error('also ended')))).rejects.toThrow('ended');
    await setImmediate();
  });

  it('keep nothing of a reply that has come', async () => {
    const kept: WeakRef<object>[] = [];
    for (let count = 0; count < 100; count++) {
      kept.push(new WeakRef(await replies.within(Promise.resolve({ count }))));
    }
    for (let round = 0; round < 5; round++) {
      await setImmediate();
      collectGarbage();
    }
    // The last one may be held by the frame of this function.
    expect(kept.filter((reply) => reply.deref() !== undefined).length).toBeLessThan(5);
  });
});
