import type { RecordedPosition } from '@antelope-history/test-support/recordings';
import { CHAIN_STATE_BYTES, type RecordedMessage } from '@antelope-history/test-support/recordings';
import type { NodeState } from './replay-node';
import type { ShipDialect } from './ship-dialect';
import type { BlocksRequest } from './ship-requests';

/** Head and LIB, which every result carries. */
export interface ChainState {
  head: RecordedPosition;
  lastIrreversible: RecordedPosition;
}

const ABSENT = Buffer.from([0]);
const NO_BLOCK = Buffer.alloc(5);

/**
 * A `get_blocks_result` as pieces to send in order: the head and LIB of `state`, then views of the recorded message without the
 * sections that the client did not request. Without a message it is a result without a block.
 */
export function encodeBlocksResult(
  dialect: ShipDialect,
  request: BlocksRequest,
  state: ChainState,
  message: RecordedMessage | undefined,
): Buffer[] {
  const opening = Buffer.allocUnsafe(CHAIN_STATE_BYTES);
  writeOpening(opening, tagOf(dialect, `get_blocks_result_v${request.version}`), state);
  const pieces = [opening, ...(message ? recordedPieces(message, request) : [NO_BLOCK])];
  if (request.version === 1) pieces.push(finalityPiece(message));
  return pieces;
}

function recordedPieces(message: RecordedMessage, request: BlocksRequest): Buffer[] {
  const { bytes, block, traces, deltas } = message;
  if (request.fetchBlock && request.fetchTraces && request.fetchDeltas) {
    return [bytes.subarray(CHAIN_STATE_BYTES, deltas.end)];
  }
  return [
    bytes.subarray(CHAIN_STATE_BYTES, block.flag),
    request.fetchBlock ? bytes.subarray(block.flag, block.end) : ABSENT,
    request.fetchTraces ? bytes.subarray(traces.flag, traces.end) : ABSENT,
    request.fetchDeltas ? bytes.subarray(deltas.flag, deltas.end) : ABSENT,
  ];
}

/** The finality data of a result of version 1; recordings of version 0 have none. */
function finalityPiece(message: RecordedMessage | undefined): Buffer {
  return message?.finalityData ? message.bytes.subarray(message.finalityData.flag, message.finalityData.end) : ABSENT;
}

/** A `get_status_result` of version 0 or, for Spring, 1: recordings have no finality data, so its range is empty. */
export function encodeStatusResult(
  dialect: ShipDialect,
  version: 0 | 1,
  state: NodeState,
  chainId: string | undefined,
): Buffer {
  const opening = Buffer.allocUnsafe(CHAIN_STATE_BYTES);
  writeOpening(opening, tagOf(dialect, `get_status_result_v${version}`), state);
  const { traces, chainState } = state;
  const ranges = uint32s(traces.begin, traces.end, chainState.begin, chainState.end);
  const pieces = [opening, ranges];
  if (dialect.statusHasChainId) pieces.push(Buffer.from(chainId ?? '', 'hex'));
  if (version === 1) pieces.push(uint32s(0, 0));
  return Buffer.concat(pieces);
}

/** All tags are below 128: one byte. */
function tagOf(dialect: ShipDialect, type: string): number {
  const tag = dialect.results.indexOf(type);
  if (tag < 0) throw new Error(`The ABI frame has no ${type}`);
  return tag;
}

function writeOpening(target: Buffer, tag: number, { head, lastIrreversible }: ChainState): void {
  target.writeUInt8(tag, 0);
  writePosition(target, 1, head);
  writePosition(target, 37, lastIrreversible);
}

function writePosition(target: Buffer, offset: number, { num, id }: RecordedPosition): void {
  target.writeUInt32LE(num, offset);
  target.write(id, offset + 4, 32, 'hex');
}

function uint32s(...values: number[]): Buffer {
  const packed = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => packed.writeUInt32LE(value, index * 4));
  return packed;
}
