import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from 'amqplib';
import { PendingReplies } from './pending-replies';
import { noReply } from './rabbitmq-errors';

const CLOSE_LIMIT_MS = 2_000;

/** What happens when the server does not reply to a call on a channel. */
export interface ReplyLimit {
  ms: number;
  /** Ends the channel's connection: only that withdraws a call which the server may still carry out, such as a registration. */
  endConnection(): void;
}

/** A channel of the client, with the reason why it ended. */
export class ServerChannel<C extends Channel = Channel> {
  /** Set as soon as the channel has ended; calls under way then fail or never settle. */
  endReason: Error | undefined;
  /** Resolves with `endReason`. */
  readonly ended: Promise<Error>;
  private readonly replies: PendingReplies;

  constructor(
    readonly amqp: C,
    private readonly replyLimit: ReplyLimit,
  ) {
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
    this.replies = new PendingReplies(this.ended);
  }

  /**
   * The server's reply. Rejects when the channel ends first, as the client never settles a reply of which it has received only
   * one half; and with `BROKER_UNAVAILABLE` after the limit of replies, when the connection ends.
   */
  async within<T>(reply: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(noReply(this.replyLimit.ms));
        this.replyLimit.endConnection();
      }, this.replyLimit.ms);
    });
    try {
      return await this.replies.within(Promise.race([reply, late]));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves when the server has returned the unsettled deliveries to their queues, at the latest after CLOSE_LIMIT_MS. */
  async close(): Promise<void> {
    if (this.endReason) return;
    const closed = this.amqp.close().catch(() => undefined);
    await Promise.race([closed, this.ended, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }
}
