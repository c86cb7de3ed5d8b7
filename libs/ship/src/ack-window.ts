/**
 * Which received messages may be acknowledged to the node. Messages become durable in any order; the node is told in
 * batches, so that a fast chain does not cost one frame each, but never later than when half the window is durable.
 */
export class AckWindow {
  private durable = 0;
  private unacknowledged = 0;
  private readonly batch: number;

  constructor(readonly size: number) {
    this.batch = Math.max(1, size >> 1);
  }

  /** Messages received and not yet acknowledged. */
  get inFlight(): number {
    return this.unacknowledged;
  }

  received(): void {
    this.unacknowledged++;
  }

  /** Notes one durable message; gives how many to acknowledge now (0 = wait for more). */
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
