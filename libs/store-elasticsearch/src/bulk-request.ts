import type { BlockPosition } from '@antelope-history/records';

/** Operations that travel together, a string each: the action's line and the document's, if it has one. */
export class BulkRequest {
  readonly operations: string[] = [];
  /** Of which block each operation is, to be named when it fails. */
  readonly blocks: (BlockPosition | undefined)[] = [];
  bytes = 0;
  /** Whether searches are to see it when it is durable: dear, so for a few documents only. */
  visibleAtOnce = false;

  add(operation: string, block?: BlockPosition): void {
    this.operations.push(operation);
    this.blocks.push(block);
    // Nothing but ASCII is written.
    this.bytes += operation.length;
  }

  /** Writes a document; one with a higher version stays. */
  put(index: string, id: string, version: number, json: string, block: BlockPosition): void {
    const action = `{"index":{"_index":"${index}","_id":"${id}","version":${version},"version_type":"external"}}`;
    this.add(`${action}\n${json}\n`, block);
  }

  /** Writes a document in the place of whatever has its id. */
  replace(index: string, id: string, json: string, block?: BlockPosition): void {
    this.add(`{"index":{"_index":"${index}","_id":"${id}"}}\n${json}\n`, block);
  }

  remove(index: string, id: string): void {
    this.add(`{"delete":{"_index":"${index}","_id":"${id}"}}\n`);
  }

  /** A request of some of the operations, by their places. */
  pick(places: readonly number[]): BulkRequest {
    const picked = new BulkRequest();
    picked.visibleAtOnce = this.visibleAtOnce;
    for (const place of places) picked.add(this.operations[place] as string, this.blocks[place]);
    return picked;
  }

  /** Both halves, for a server that takes no more at once. */
  split(): [BulkRequest, BulkRequest] {
    const places = [...this.operations.keys()];
    const middle = Math.ceil(places.length / 2);
    return [this.pick(places.slice(0, middle)), this.pick(places.slice(middle))];
  }

  /** The index that an operation goes to. */
  indexOf(place: number): string {
    return /"_index":"([^"]*)"/.exec(this.operations[place] ?? '')?.[1] ?? '';
  }
}
