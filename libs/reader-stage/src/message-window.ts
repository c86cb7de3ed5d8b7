import { HistoryError } from '@antelope-history/schemas';
import type { AckWindow, BlocksResult } from '@antelope-history/ship';
import type { ShipSession } from './ship-session';

/**
 * The messages of one session that are being published. Several are published at once, within the node's window of
 * unacknowledged messages and within `maxBytes`; the node is acknowledged in the order received, as they become durable.
 * Above `maxBytes` the socket is not read: withheld acknowledgements alone would not stop a node that may still send up to
 * 64 messages of any size.
 */
export class MessageWindow {
  private tail: Promise<void> = Promise.resolve();
  private pendingBytes = 0;
  private closed = false;

  constructor(
    private readonly session: ShipSession,
    private readonly window: AckWindow,
    private readonly maxBytes: number,
    private readonly publish: (result: BlocksResult, message: Buffer) => Promise<void>,
  ) {}

  /** Publishes a message. Throws `SHIP_MESSAGE_CORRUPT` when the node sends more than the window allows. */
  add(result: BlocksResult, message: Buffer): void {
    this.window.received();
    if (this.window.inFlight > this.window.size) {
      throw new HistoryError('SHIP_MESSAGE_CORRUPT', 'the node sent more messages than its window allows');
    }
    this.pendingBytes += message.length;
    if (this.pendingBytes > this.maxBytes) this.session.pause();
    const published = this.closed ? undefined : this.publish(result, message);
    // `settle` handles the failure in order; this handler only prevents an unhandled rejection until then.
    published?.catch(() => undefined);
    this.tail = this.tail.then(() => this.settle(published, message.length));
  }

  /** Publishes nothing of what is added from now on. */
  close(): void {
    this.closed = true;
  }

  /** Whether the node may send: everything that it sent is published. */
  get isEmpty(): boolean {
    return this.pendingBytes === 0;
  }

  /** Resolves when no message is being published. */
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
    const before = this.pendingBytes;
    this.pendingBytes -= bytes;
    if (before > this.maxBytes && this.pendingBytes <= this.maxBytes) this.session.resume();
    const acknowledge = this.window.settled();
    if (acknowledge > 0) this.session.acknowledge(acknowledge);
  }
}
