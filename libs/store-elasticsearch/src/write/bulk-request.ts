import type { BlockPosition } from '@antelope-history/records';

const FIRST_CAPACITY = 64 * 1024;

/**
 * Operations that travel together: the action's line and the document's, if it has one. They are kept as the bytes that
 * are sent, since strings of megabytes that live as long as a request are dear to collect.
 */
export class BulkRequest {
  private buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  /** Where each operation ends in the buffer. */
  private readonly ends: number[] = [];
  /** Of which block each operation is, to be named when it fails. */
  readonly blocks: (BlockPosition | undefined)[] = [];
  /** Whether searches are to see it when it is durable: dear, so for a few documents only. */
  visibleAtOnce = false;

  /** How many operations there are. */
  get count(): number {
    return this.ends.length;
  }

  get bytes(): number {
    return this.ends.at(-1) ?? 0;
  }

  get body(): Buffer {
    return this.buffer.subarray(0, this.bytes);
  }

  /** Writes a document; one with a higher version stays. */
  put(index: string, id: string, version: number, json: string, block: BlockPosition): void {
    const action = `{"index":{"_index":"${index}","_id":"${id}","version":${version},"version_type":"external"}}\n`;
    this.add(action, `${json}\n`, block);
  }

  /** Writes a document in the place of whatever has its id. */
  replace(index: string, id: string, json: string, block?: BlockPosition): void {
    this.add(`{"index":{"_index":"${index}","_id":"${id}"}}\n`, `${json}\n`, block);
  }

  remove(index: string, id: string): void {
    this.add(`{"delete":{"_index":"${index}","_id":"${id}"}}\n`, '', undefined);
  }

  /** A request of some of the operations, by their places. */
  pick(places: readonly number[]): BulkRequest {
    const picked = new BulkRequest();
    picked.visibleAtOnce = this.visibleAtOnce;
    for (const place of places) picked.add(this.operationAt(place), '', this.blocks[place]);
    return picked;
  }

  /** Both halves, for a server that takes no more at once. */
  split(): [BulkRequest, BulkRequest] {
    const places = [...this.ends.keys()];
    const middle = Math.ceil(places.length / 2);
    return [this.pick(places.slice(0, middle)), this.pick(places.slice(middle))];
  }

  /** The index that an operation goes to. */
  indexOf(place: number): string {
    return /"_index":"([^"]*)"/.exec(this.operationAt(place))?.[1] ?? '';
  }

  private operationAt(place: number): string {
    return this.buffer.toString('latin1', this.ends[place - 1] ?? 0, this.ends[place]);
  }

  /** Nothing but ASCII is written: a character is a byte. */
  private add(action: string, document: string, block: BlockPosition | undefined): void {
    const start = this.bytes;
    const end = start + action.length + document.length;
    if (end > this.buffer.length) this.grow(end);
    this.buffer.write(action, start, 'latin1');
    this.buffer.write(document, start + action.length, 'latin1');
    this.ends.push(end);
    this.blocks.push(block);
  }

  private grow(least: number): void {
    const larger = Buffer.allocUnsafe(Math.max(least, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.bytes);
    this.buffer = larger;
  }
}
