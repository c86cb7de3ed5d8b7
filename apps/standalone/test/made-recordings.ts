import { createHash } from 'node:crypto';
import {
  createRecording,
  type RecordedMessage,
  type RecordedPosition,
  type Recording,
  type ResultSection,
} from '@antelope-history/test-support/recordings';

/** A recording whose messages from an index on lack a part, as those of a node that does not write this log any more. */
export function withoutPart({ abi, messages }: Recording, part: 'traces' | 'deltas', from: number): Recording {
  const cut = (message: RecordedMessage): Buffer =>
    message.index < from ? message.bytes : withoutSection(message.bytes, message[part]);
  return createRecording(abi, messages.map(cut));
}

/** An optional section is a flag byte and its contents. */
function withoutSection(bytes: Buffer, { flag, end, present }: ResultSection): Buffer {
  return present ? Buffer.concat([bytes.subarray(0, flag), Buffer.of(0), bytes.subarray(end)]) : bytes;
}

/**
 * A recording in which the data of one action are altered, as by a fault of a node's disk: those of `onblock`, which are the
 * header of the previous block.
 */
export function withAltered({ abi, messages }: Recording, index: number): Recording {
  const [previous, message] = messages.slice(index - 1, index + 1) as [RecordedMessage, RecordedMessage];
  const header = previous.bytes.subarray(previous.block.start + 10, previous.block.start + 60);
  const at = message.bytes.indexOf(header, message.traces.start);
  if (at < 0) throw new Error(`the message ${index} has no onblock`);
  const altered = Buffer.from(message.bytes);
  altered[at] = (altered[at] as number) ^ 1;
  return createRecording(
    abi,
    messages.map(({ bytes }, each) => (each === index ? altered : bytes)),
  );
}

/** The messages of a node whose logs begin with one of these, which then names no previous block. */
export function fromFirst(messages: readonly Buffer[], first: number): Buffer[] {
  const [message, ...rest] = messages.slice(first);
  return [withoutPrevious(message as Buffer), ...rest];
}

/** `prev_block` follows the variant tag, two positions, and the flag and the position of `this_block`. */
function withoutPrevious(message: Buffer): Buffer {
  const at = 1 + 36 + 36 + 1 + 36;
  return Buffer.concat([message.subarray(0, at), Buffer.of(0), message.subarray(at + 1 + 36)]);
}

/** Messages of blocks without transactions. `branch` makes blocks of one number differ. */
export function emptyBlocks(parent: RecordedPosition | undefined, count: number, branch: string): Buffer[] {
  const messages: Buffer[] = [];
  let previous = parent;
  for (let made = 0; made < count; made++) {
    const block = positionOf((previous?.num ?? 0) + 1, branch);
    messages.push(resultOf(block, previous));
    previous = block;
  }
  return messages;
}

export function positionOf(num: number, branch: string): RecordedPosition {
  const digest = createHash('sha256').update(`${branch} ${num}`).digest('hex');
  return { num, id: num.toString(16).padStart(8, '0') + digest.slice(8) };
}

const BLOCKS_RESULT_V0 = 1;
/** No traces, and no deltas: a list of length 0. */
const EMPTY_LIST = Buffer.of(0);

/** `get_blocks_result_v0` (nodeos libraries/state_history/abi.cpp); nothing but block 1 is irreversible. */
function resultOf(block: RecordedPosition, previous: RecordedPosition | undefined): Buffer {
  return Buffer.concat([
    Buffer.of(BLOCKS_RESULT_V0),
    packPosition(block),
    packPosition(positionOf(1, 'trunk')),
    Buffer.of(1),
    packPosition(block),
    ...(previous ? [Buffer.of(1), packPosition(previous)] : [Buffer.of(0)]),
    packBytes(packBlock(block)),
    packBytes(EMPTY_LIST),
    packBytes(EMPTY_LIST),
  ]);
}

function packPosition({ num, id }: RecordedPosition): Buffer {
  const packed = Buffer.alloc(36);
  packed.writeUInt32LE(num, 0);
  packed.write(id, 4, 'hex');
  return packed;
}

/** `bytes?` */
function packBytes(bytes: Buffer): Buffer {
  const length = bytes.length < 0x80 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return Buffer.concat([Buffer.of(1, ...length), bytes]);
}

const FIRST_TIMESTAMP = 1_500_000_000;
/** Of a signed block without extensions and transactions, the bytes after the timestamp. */
const HEADER_BYTES = 8 + 2 + 32 + 32 + 32 + 4 + 1 + 1;
const SIGNATURE_BYTES = 66;

function packBlock({ num }: RecordedPosition): Buffer {
  const packed = Buffer.alloc(4 + HEADER_BYTES + SIGNATURE_BYTES + 1 + 1);
  packed.writeUInt32LE(FIRST_TIMESTAMP + num, 0);
  return packed;
}
