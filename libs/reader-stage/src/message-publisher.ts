import { HistoryError } from '@antelope-history/schemas';
import type { AckWindow, BlocksResult } from '@antelope-history/ship';
import type { ShipSession } from './ship-session';

/**
 * Publishes messages in their order, several at once: the node's window bounds how many, `maxBytes` how large they may be
 * together. Gives the node credit in that order too, as they become durable. Beyond `maxBytes` nothing more is read from the
 * socket: holding credit back alone would not stop a node whose credit covers 64 messages of any size.
 */
export class MessagePublisher {
  private tail: Promise<void> = Promise.resolve();
  private waitingBytes = 0;
  private closed = false;

  constructor(
    private readonly session: ShipSession,
    private readonly window: AckWindow,
    private readonly maxBytes: number,
    private readonly publish: (result: BlocksResult, message: Buffer) => Promise<void>,
  ) {}

  add(result: BlocksResult, message: Buffer): void {
    this.window.received();
    if (this.window.inFlight > this.window.size) {
      throw new HistoryError('SHIP_MESSAGE_CORRUPT', 'the node sent more messages than it was given credit for');
    }
    this.waitingBytes += message.length;
    if (this.waitingBytes > this.maxBytes) this.session.pause();
    const published = this.closed ? undefined : this.publish(result, message);
    // What fails is told in its turn.
    published?.catch(() => undefined);
    this.tail = this.tail.then(() => this.settle(published, message.length));
  }

  close(): void {
    this.closed = true;
  }

  /** Resolves when nothing is being published any more. */
  idle(): Promise<void> {
    return this.tail;
  }

  private async settle(published: Promise<void> | undefined, bytes: number): Promise<void> {
    if (!published) return;
    try {
      await published;
    } catch (error) {
      this.session.close(error as HistoryError);
      return;
    }
    const before = this.waitingBytes;
    this.waitingBytes -= bytes;
    if (before > this.maxBytes && this.waitingBytes <= this.maxBytes) this.session.resume();
    const acknowledge = this.window.settled();
    if (acknowledge > 0) this.session.acknowledge(acknowledge);
  }
}
