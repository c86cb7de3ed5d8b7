import { randomBytes } from 'node:crypto';
import {
  createRecording,
  emptyBlocks,
  openSample,
  packVaruint,
  type RecordedMessage,
  type Recording,
} from '@antelope-history/test-support/recordings';

/** The other parts of a message have about this length. */
const FRAME_BYTES = 350;

/** A chain of blocks without transactions, each a message of about `bytes` bytes. */
export function smallBlocks(count: number, bytes: number): Recording {
  const options = { extensionBytes: bytes - FRAME_BYTES, isFinal: true };
  return createRecording(openSample('leap-edge').abi, emptyBlocks(undefined, count, 'trunk', options));
}

const ROW_BYTES = 1_000;
/** `table_delta_v0`, the only variant of that time. */
const TABLE_DELTA_V0 = 0;

/**
 * A chain that begins with a snapshot, as its node sends it: the first message has the whole state, here with `bytes` bytes of
 * rows of contracts' tables besides.
 */
export function largeState(bytes: number): Recording {
  const { abi, messages } = openSample('leap-snapshot');
  const [first, ...rest] = messages as [RecordedMessage, ...RecordedMessage[]];
  return createRecording(abi, [withRows(first, bytes), ...rest.map((message) => message.bytes)]);
}

/** `deltas` is `bytes?`: a flag, a length, and the section, which is a `table_delta[]`. */
function withRows({ bytes: message, deltas }: RecordedMessage, bytes: number): Buffer {
  const content = message.subarray(deltas.start, deltas.end);
  const count = readVaruint(content);
  const tables = content.subarray(count.size);
  const packed = [packVaruint(count.value + 1), tables, ...contractRows(Math.ceil(bytes / ROW_BYTES))];
  const total = packed.reduce((sum, each) => sum + each.length, 0);
  return Buffer.concat([
    message.subarray(0, deltas.flag + 1),
    packVaruint(total),
    ...packed,
    message.subarray(deltas.end),
  ]);
}

/** A `table_delta` named `contract_row`; each row is present. */
function* contractRows(count: number): Generator<Buffer> {
  const name = Buffer.from('contract_row');
  yield Buffer.concat([Buffer.of(TABLE_DELTA_V0), packVaruint(name.length), name, packVaruint(count)]);
  const row = Buffer.concat([Buffer.of(1), packVaruint(ROW_BYTES), randomBytes(ROW_BYTES)]);
  for (let made = 0; made < count; made++) yield row;
}

function readVaruint(bytes: Buffer): { value: number; size: number } {
  let value = 0;
  for (let size = 0; ; size++) {
    const byte = bytes[size] as number;
    value += (byte & 0x7f) * 2 ** (7 * size);
    if (byte < 0x80) return { value, size: size + 1 };
  }
}
