import { ByteCursor } from './byte-cursor';
import { RecordingError } from './recording-error';

/** A block by number and id (64 lowercase hex digits). */
export interface RecordedPosition {
  num: number;
  id: string;
}

/** One of `block`, `traces`, `deltas` inside a message: the option's flag byte lies at `flag`, its contents from `start` to `end`. */
export interface ResultSection {
  flag: number;
  present: boolean;
  start: number;
  end: number;
}

/** The frame of a `get_blocks_result_v0` or `_v1`: positions, and offsets of its sections. Only the ids are copied. */
export interface BlocksResult {
  head: RecordedPosition;
  lastIrreversible: RecordedPosition;
  /** Absent when the node had no block for the next number. */
  thisBlock: RecordedPosition | undefined;
  prevBlock: RecordedPosition | undefined;
  block: ResultSection;
  traces: ResultSection;
  deltas: ResultSection;
  /** Of `get_blocks_result_v1` only, which Spring sends. */
  finalityData: ResultSection | undefined;
}

/** Length of the variant tag, `head` and `last_irreversible` at the start of a result. */
export const CHAIN_STATE_BYTES = 73;

const BLOCKS_RESULT_V0_TAG = 1;
const BLOCKS_RESULT_V1_TAG = 2;

/**
 * Parses the frame of a `get_blocks_result_v0` or `_v1` message (nodeos libraries/state_history/abi.cpp).
 * Throws `RecordingError` when the bytes are another variant, end early or continue after the last field.
 */
export function peekBlocksResult(bytes: Buffer): BlocksResult {
  const cursor = new ByteCursor(bytes);
  const tag = cursor.varuint();
  if (tag !== BLOCKS_RESULT_V0_TAG && tag !== BLOCKS_RESULT_V1_TAG) {
    throw new RecordingError(`Result variant ${tag} is not a get_blocks_result`);
  }
  const result: BlocksResult = {
    head: position(cursor),
    lastIrreversible: position(cursor),
    thisBlock: optionalPosition(cursor),
    prevBlock: optionalPosition(cursor),
    block: section(cursor),
    traces: section(cursor),
    deltas: section(cursor),
    finalityData: tag === BLOCKS_RESULT_V1_TAG ? section(cursor) : undefined,
  };
  if (!cursor.atEnd) throw new RecordingError(`${bytes.length - cursor.offset} bytes follow the last field`);
  return result;
}

function position(cursor: ByteCursor): RecordedPosition {
  return { num: cursor.uint32(), id: cursor.hex(32) };
}

function optionalPosition(cursor: ByteCursor): RecordedPosition | undefined {
  return cursor.uint8() === 0 ? undefined : position(cursor);
}

function section(cursor: ByteCursor): ResultSection {
  const flag = cursor.offset;
  const present = cursor.uint8() !== 0;
  const length = present ? cursor.varuint() : 0;
  const start = cursor.skip(length);
  return { flag, present, start, end: start + length };
}
