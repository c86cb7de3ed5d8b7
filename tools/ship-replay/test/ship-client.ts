import { WebSocket } from 'ws';
import type { RecordedPosition } from '@antelope-history/test-support/recordings';
import { type BlocksResult, peekBlocksResult } from '@antelope-history/test-support/recordings';

export interface BlocksRequestFields {
  tag?: number;
  start?: number;
  end?: number;
  credit?: number;
  havePositions?: RecordedPosition[];
  /** irreversible_only, fetch_block, fetch_traces, fetch_deltas and, in version 1, fetch_finality_data. */
  flags?: number[];
}

export const STATUS_REQUEST = Buffer.from([0]);
export const WITHOUT_END = 0xffffffff;

export function blocksRequest(fields: BlocksRequestFields = {}): Buffer {
  const {
    tag = 1,
    start = 1,
    end = WITHOUT_END,
    credit = WITHOUT_END,
    havePositions = [],
    flags = [0, 1, 1, 1],
  } = fields;
  const fixed = Buffer.alloc(13);
  fixed.writeUInt8(tag, 0);
  fixed.writeUInt32LE(start, 1);
  fixed.writeUInt32LE(end, 5);
  fixed.writeUInt32LE(credit, 9);
  const count = Buffer.from([(havePositions.length & 0x7f) | 0x80, havePositions.length >> 7]);
  return Buffer.concat([fixed, count, ...havePositions.map(packPosition), Buffer.from(flags)]);
}

export function acknowledge(messages: number): Buffer {
  const packed = Buffer.alloc(5, 2);
  packed.writeUInt32LE(messages, 1);
  return packed;
}

function packPosition({ num, id }: RecordedPosition): Buffer {
  const packed = Buffer.alloc(36);
  packed.writeUInt32LE(num, 0);
  packed.write(id, 4, 'hex');
  return packed;
}

/** A client over a real socket that buffers frames until they are read. */
export class ShipClient {
  readonly abi: Promise<string>;
  readonly closed: Promise<number>;
  private readonly arrived: Buffer[] = [];
  private wake: () => void = () => undefined;
  private isClosed = false;

  private constructor(readonly socket: WebSocket) {
    this.abi = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))));
    this.closed = new Promise((resolve) => socket.once('close', (code) => resolve(code)));
    socket.on('message', (data, isBinary) => {
      if (isBinary && Buffer.isBuffer(data)) this.arrived.push(data);
      this.wake();
    });
    socket.on('close', () => {
      this.isClosed = true;
      this.wake();
    });
    socket.on('error', () => undefined);
  }

  /** Connects and waits for the ABI frame; rejects when the connection is refused. */
  static async connect(url: string): Promise<ShipClient> {
    const client = new ShipClient(new WebSocket(url, { perMessageDeflate: false, maxPayload: 2 ** 30 }));
    await Promise.race([
      client.abi,
      client.closed.then((code) => Promise.reject(new Error(`closed with ${code} before the ABI frame`))),
    ]);
    return client;
  }

  send(frame: Buffer | string): void {
    this.socket.send(frame);
  }

  /** The next binary frame; `undefined` when the connection closed, or nothing arrived for `silence` ms. */
  async next(silence = 5000): Promise<Buffer | undefined> {
    const deadline = Date.now() + silence;
    while (this.arrived.length === 0 && !this.isClosed && Date.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now());
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.arrived.shift();
  }

  /** The next `count` results, acknowledged one by one when `acknowledging`. */
  async results(count: number, acknowledging = false): Promise<BlocksResult[]> {
    const results: BlocksResult[] = [];
    while (results.length < count) {
      const frame = await this.next();
      if (!frame) throw new Error(`only ${results.length} of ${count} results came`);
      results.push(peekBlocksResult(frame));
      if (acknowledging) this.send(acknowledge(1));
    }
    return results;
  }

  /** Whether nothing arrives for a while. */
  async isSilent(ms = 100): Promise<boolean> {
    return (await this.next(ms)) === undefined && !this.isClosed;
  }

  close(): void {
    this.socket.terminate();
  }
}
