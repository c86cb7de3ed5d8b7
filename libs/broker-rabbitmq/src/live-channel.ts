import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from 'amqplib';

const CLOSE_LIMIT_MS = 2_000;

/** A channel of the server, and the end of it. */
export class LiveChannel<C extends Channel = Channel> {
  /** Set as soon as nothing more comes of what was asked of it. */
  endedBecause: Error | undefined;
  readonly ended: Promise<Error>;

  constructor(readonly channel: C) {
    let reason: Error | undefined;
    // An emitter without a listener would throw it.
    channel.on('error', (error: Error) => (reason = error));
    this.ended = new Promise((resolve) => {
      // Before the client's own listener, which tells the messages that were not confirmed.
      channel.prependListener('close', () => {
        this.endedBecause = reason ?? new Error('its connection ended');
        resolve(this.endedBecause);
      });
    });
  }

  /** What the server says, or the end of the channel. The client forgets a reply whose second half does not come. */
  within<T>(reply: Promise<T>): Promise<T> {
    const end = this.ended.then((reason) => Promise.reject(reason));
    return Promise.race([reply, end]);
  }

  /** Unsettled deliveries of it go back to their queues; resolves when they have, or when the server says nothing. */
  async close(): Promise<void> {
    if (this.endedBecause) return;
    const closed = this.channel.close().catch(() => undefined);
    await Promise.race([closed, this.ended, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }
}
