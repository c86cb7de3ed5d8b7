/**
 * Decides when received messages are acknowledged to the node. Messages become durable in any order. Acknowledgements are
 * sent in batches, so that a fast chain does not cost one frame per message, at the latest when half the window is durable.
 */
export class AckWindow {
  private durable = 0;
  private unacknowledged = 0;
  private readonly batch: number;

  constructor(readonly size: number) {
    this.batch = Math.max(1, size >> 1);
  }

  /** Number of messages that were received and are not acknowledged. */
  get inFlight(): number {
    return this.unacknowledged;
  }

  received(): void {
    this.unacknowledged++;
  }

  /** Counts one durable message. Returns the number of messages to acknowledge now; 0 means to wait for more. */
  settled(): number {
    this.durable++;
    const everythingDurable = this.durable === this.unacknowledged;
    return this.durable >= this.batch || everythingDurable ? this.take() : 0;
  }

  private take(): number {
    const messages = this.durable;
    this.durable = 0;
    this.unacknowledged -= messages;
    return messages;
  }
}
