import type { RecordedPosition } from '@antelope-history/test-support/recordings';
import type { ShipDialect } from './ship-dialect';

/** A frame that is not a request; nodeos cuts the connection. */
export class MalformedRequest extends Error {
  override readonly name = 'MalformedRequest';
}

export interface BlocksRequest {
  type: 'blocks';
  /** The result of version 1 (Spring) is `get_blocks_result_v1`. */
  version: 0 | 1;
  start: number;
  /** Exclusive. */
  end: number;
  /** `max_messages_in_flight`: results that may be sent before the next acknowledgement. */
  credit: number;
  havePositions: readonly RecordedPosition[];
  irreversibleOnly: boolean;
  fetchBlock: boolean;
  fetchTraces: boolean;
  fetchDeltas: boolean;
}

export type ShipRequest =
  { type: 'status'; version: 0 | 1 } | { type: 'acknowledge'; messages: number } | BlocksRequest;

/**
 * Decodes a frame of the variant `request`. Bytes after the last field are ignored, as nodeos does.
 * Throws `MalformedRequest` for a frame that nodeos closes the socket for: an unknown tag, or one that ends early.
 */
export function decodeRequest(frame: Buffer, dialect: ShipDialect): ShipRequest {
  const reader = new RequestReader(frame);
  const type = dialect.requests[reader.varuint32()];
  switch (type) {
    case 'get_status_request_v0':
      return { type: 'status', version: 0 };
    case 'get_status_request_v1':
      return { type: 'status', version: 1 };
    case 'get_blocks_ack_request_v0':
      return { type: 'acknowledge', messages: reader.uint32() };
    case 'get_blocks_request_v0':
      return readBlocksRequest(reader, 0);
    case 'get_blocks_request_v1':
      return readBlocksRequest(reader, 1);
    default:
      throw new MalformedRequest('The request variant is unknown');
  }
}

/** Version 1 adds `fetch_finality_data`, which must be present but is ignored: recordings have no finality data. */
function readBlocksRequest(reader: RequestReader, version: 0 | 1): BlocksRequest {
  const request: BlocksRequest = {
    type: 'blocks',
    version,
    start: reader.uint32(),
    end: reader.uint32(),
    credit: reader.uint32(),
    havePositions: reader.positions(),
    irreversibleOnly: reader.bool(),
    fetchBlock: reader.bool(),
    fetchTraces: reader.bool(),
    fetchDeltas: reader.bool(),
  };
  if (version === 1) reader.bool();
  return request;
}

/** Reads a frame forward; a read past its end is a `MalformedRequest`. */
class RequestReader {
  private offset = 0;

  constructor(private readonly frame: Buffer) {}

  uint32(): number {
    return this.frame.readUInt32LE(this.skip(4));
  }

  bool(): boolean {
    const byte = this.uint8();
    if (byte > 1) throw new MalformedRequest('A bool is neither 0 nor 1');
    return byte === 1;
  }

  varuint32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.uint8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedRequest('A varuint32 has too many bytes');
  }

  positions(): RecordedPosition[] {
    const positions: RecordedPosition[] = [];
    for (let count = this.varuint32(); count > 0; count--) positions.push({ num: this.uint32(), id: this.id() });
    return positions;
  }

  private uint8(): number {
    return this.frame.readUInt8(this.skip(1));
  }

  private id(): string {
    const start = this.skip(32);
    return this.frame.toString('hex', start, start + 32);
  }

  private skip(length: number): number {
    const start = this.offset;
    if (length > this.frame.length - start) throw new MalformedRequest('The request is cut short');
    this.offset = start + length;
    return start;
  }
}
