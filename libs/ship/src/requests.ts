import type { BlockPosition } from '@antelope-history/schemas';

/**
 * Encoders of the SHiP socket's requests. The layout and the tag of the requests of version 0 are the same from EOSIO 2.0 to
 * Spring 1 (nodeos libraries/state_history/abi.cpp, variant `request`).
 */

export interface BlocksRequest {
  startBlock: number;
  /** Exclusive; 0xffffffff = no end. */
  endBlock: number;
  maxMessagesInFlight: number;
  /** Blocks below `startBlock` that the client has. The node starts at the first of them that is not on its own chain. */
  havePositions: BlockPosition[];
  irreversibleOnly: boolean;
}

export const END_OF_CHAIN = 0xffffffff;

const TAG_STATUS = 0;
const TAG_BLOCKS = 1;
const TAG_ACK = 2;
/** Of Spring; see `ShipFrames.sendsFinalityData`. */
const TAG_BLOCKS_V1 = 3;
export const FINALITY_REQUEST = { tag: TAG_BLOCKS_V1, name: 'get_blocks_request_v1' } as const;

/** `get_status_request_v0`. */
export function encodeStatusRequest(): Buffer {
  return Buffer.from([TAG_STATUS]);
}

/** `get_blocks_request_v0` for blocks, traces and deltas; with finality data `get_blocks_request_v1`. */
export function encodeBlocksRequest(request: BlocksRequest, withFinalityData = false): Buffer {
  const positions = request.havePositions.map((position) => {
    const packed = Buffer.alloc(36);
    packed.writeUInt32LE(position.num, 0);
    packed.write(position.id, 4, 'hex');
    return packed;
  });
  const fixed = Buffer.alloc(13);
  fixed.writeUInt8(withFinalityData ? TAG_BLOCKS_V1 : TAG_BLOCKS, 0);
  fixed.writeUInt32LE(request.startBlock, 1);
  fixed.writeUInt32LE(request.endBlock, 5);
  fixed.writeUInt32LE(request.maxMessagesInFlight, 9);
  const flags = Buffer.from([request.irreversibleOnly ? 1 : 0, 1, 1, 1, ...(withFinalityData ? [1] : [])]);
  return Buffer.concat([fixed, packVaruint32(positions.length), ...positions, flags]);
}

/** `get_blocks_ack_request_v0`: acknowledges `messages` results, so that the node may send as many more. */
export function encodeAck(messages: number): Buffer {
  const packed = Buffer.alloc(5);
  packed.writeUInt8(TAG_ACK, 0);
  packed.writeUInt32LE(messages, 1);
  return packed;
}

function packVaruint32(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return Buffer.from(bytes);
}
