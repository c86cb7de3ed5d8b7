import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from 'amqplib';

const CLOSE_LIMIT_MS = 2_000;

/** A channel of the client, with the reason why it ended. */
export class ServerChannel<C extends Channel = Channel> {
  /** Set as soon as the channel has ended; calls under way then fail or never settle. */
  endReason: Error | undefined;
  /** Resolves with `endReason`. */
  readonly ended: Promise<Error>;

  constructor(readonly amqp: C) {
    let reason: Error | undefined;
    // Without a listener the emitter throws the error.
    amqp.on('error', (error: Error) => (reason = error));
    this.ended = new Promise((resolve) => {
      // Runs before the client's own listener, which fails the unconfirmed messages.
      amqp.prependListener('close', () => {
        this.endReason = reason ?? new Error('its connection ended');
        resolve(this.endReason);
      });
    });
  }

  /**
   * The server's reply. Rejects when the channel ends first, as the client never settles a reply of which it has received only
   * one half.
   */
  within<T>(reply: Promise<T>): Promise<T> {
    const end = this.ended.then((reason) => Promise.reject(reason));
    return Promise.race([reply, end]);
  }

  /** Resolves when the server has returned the unsettled deliveries to their queues, at the latest after CLOSE_LIMIT_MS. */
  async close(): Promise<void> {
    if (this.endReason) return;
    const closed = this.amqp.close().catch(() => undefined);
    await Promise.race([closed, this.ended, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }
}
