import { TOPOLOGY, type Delivery } from '@antelope-history/broker';
import type { BlockRecords } from '@antelope-history/records';

/** The deliveries that wait for a write, oldest first. */
export class PendingBlocks {
  private deliveries: Delivery<BlockRecords>[] = [];
  private bytes = 0;

  constructor(private readonly batchBytes: number) {}

  get isEmpty(): boolean {
    return this.deliveries.length === 0;
  }

  /** Adds a delivery and drops the lost ones, so that no more are held than the broker waits for. */
  add(delivery: Delivery<BlockRecords>): void {
    if (this.deliveries[0]?.isLost()) this.dropLost();
    this.deliveries.push(delivery);
    this.bytes += delivery.bytes;
  }

  /**
   * Whether to write the waiting blocks now, of which there must be one. At the head every block is written at once; far behind
   * it, a fuller batch is worth a short wait.
   */
  isWorthWriting(): boolean {
    const newest = (this.deliveries.at(-1) as Delivery<BlockRecords>).message;
    return (
      this.bytes >= this.batchBytes ||
      this.deliveries.length >= TOPOLOGY.blockRecords.prefetch ||
      newest.position.num >= newest.head.num
    );
  }

  /** Removes and returns the oldest deliveries, up to the first that reaches the batch's size. */
  takeBatch(): Delivery<BlockRecords>[] {
    const batch: Delivery<BlockRecords>[] = [];
    let bytes = 0;
    while (this.deliveries.length > 0 && bytes < this.batchBytes) {
      const delivery = this.deliveries.shift() as Delivery<BlockRecords>;
      bytes += delivery.bytes;
      batch.push(delivery);
    }
    this.bytes -= bytes;
    return batch;
  }

  /** Drops the deliveries that the broker will deliver again. */
  dropLost(): void {
    this.deliveries = this.deliveries.filter((delivery) => !delivery.isLost());
    this.bytes = this.deliveries.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
