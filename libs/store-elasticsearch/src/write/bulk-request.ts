import type { BlockPosition } from '@antelope-history/schemas';
import type { DocumentVersion } from '../client/search';
import type { RequestBuffers } from './request-buffers';

const FIRST_CAPACITY = 64 * 1024;
const NO_BYTES = Buffer.alloc(0);

/**
 * The operations of one bulk request: a line for the action and one for the document, if it has one. They are kept as bytes:
 * strings of megabytes that live as long as a request are expensive to garbage-collect.
 */
export class BulkRequest {
  private buffer: Buffer;
  /** The end offset of each operation in the buffer. */
  private ends: number[] = [];
  /** The block of each operation, for error messages. */
  readonly blocks: (BlockPosition | undefined)[] = [];
  /** Whether the request refreshes the index: expensive, so for few documents only. */
  visibleAtOnce = false;
  /** Whether the server rejects operations whose index is not an alias. Named once per request: per operation it would take 21 bytes. */
  requiresAliases = false;
  /** Whether a document that was replaced or deleted since it was read fails the request; otherwise it is left as it is. */
  failsOnConflict = false;
  /** Whether the response lists every operation. Otherwise it only says whether one failed, which costs the server and the client less. */
  listsOperations = false;

  /** `buffers`: where the request takes its buffer from, and where `release` puts it back. */
  constructor(private readonly buffers?: RequestBuffers) {
    this.buffer = buffers?.take() ?? Buffer.allocUnsafe(FIRST_CAPACITY);
  }

  /** The number of operations. */
  get count(): number {
    return this.ends.length;
  }

  get bytes(): number {
    return this.ends.at(-1) ?? 0;
  }

  get body(): Buffer {
    return this.buffer.subarray(0, this.bytes);
  }

  /** Writes a document unless one with the same or a higher version exists. */
  put(index: string, id: string, version: number, json: string, block: BlockPosition): void {
    const action = `{"index":{"_index":"${index}","_id":"${id}","version":${version},"version_type":"external"}}\n`;
    this.add(action, `${json}\n`, block);
  }

  /** Writes a document and replaces the one with its id. */
  replace(index: string, id: string, json: string, block?: BlockPosition): void {
    this.add(`{"index":{"_index":"${index}","_id":"${id}"}}\n`, `${json}\n`, block);
  }

  /** Writes a document unless there is one with its id. */
  create(index: string, id: string, json: string, block?: BlockPosition): void {
    this.add(`{"create":{"_index":"${index}","_id":"${id}"}}\n`, `${json}\n`, block);
  }

  /** Replaces the document of a hit, unless it was replaced or deleted since. */
  replaceSame({ index, id, seqNo, primaryTerm }: DocumentVersion, json: string, block?: BlockPosition): void {
    const version = `"if_seq_no":${seqNo},"if_primary_term":${primaryTerm}`;
    this.add(`{"index":{"_index":"${index}","_id":"${id}",${version}}}\n`, `${json}\n`, block);
  }

  /** Changes fields of the document with an id, if there is one. */
  change(index: string, id: string, json: string): void {
    this.add(`{"update":{"_index":"${index}","_id":"${id}"}}\n`, `{"doc":${json}}\n`, undefined);
  }

  remove(index: string, id: string): void {
    this.add(`{"delete":{"_index":"${index}","_id":"${id}"}}\n`, '', undefined);
  }

  /** Empties the request. Nothing may read what it has sent afterwards. */
  release(): void {
    if (this.buffer.length > 0) this.buffers?.give(this.buffer);
    this.buffer = NO_BYTES;
    this.ends = [];
  }

  /** A request of some of the operations, by their indices. */
  pick(indices: readonly number[]): BulkRequest {
    const picked = new BulkRequest();
    picked.visibleAtOnce = this.visibleAtOnce;
    picked.requiresAliases = this.requiresAliases;
    picked.failsOnConflict = this.failsOnConflict;
    for (const index of indices) picked.add(this.operationAt(index), '', this.blocks[index]);
    return picked;
  }

  /** Two halves, for a server that rejects the whole as too large. */
  split(): [BulkRequest, BulkRequest] {
    const indices = [...this.ends.keys()];
    const middle = Math.ceil(indices.length / 2);
    return [this.pick(indices.slice(0, middle)), this.pick(indices.slice(middle))];
  }

  /** The Elasticsearch index that an operation writes to. */
  indexOf(operation: number): string {
    return /"_index":"([^"]*)"/.exec(this.operationAt(operation))?.[1] ?? '';
  }

  private operationAt(index: number): string {
    return this.buffer.toString('latin1', this.ends[index - 1] ?? 0, this.ends[index]);
  }

  /** All text is ASCII, so one character is one byte. */
  private add(action: string, document: string, block: BlockPosition | undefined): void {
    const start = this.bytes;
    const end = start + action.length + document.length;
    if (end > this.buffer.length) this.grow(end);
    this.buffer.write(action + document, start, 'latin1');
    this.ends.push(end);
    this.blocks.push(block);
  }

  private grow(least: number): void {
    const larger = Buffer.allocUnsafe(Math.max(least, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.bytes);
    this.buffer = larger;
  }
}
