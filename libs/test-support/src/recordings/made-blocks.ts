import { createHash } from 'node:crypto';
import { packVaruint } from '../random/packed-bytes';
import type { RecordedPosition } from './blocks-result';

export interface MadeBlocksOptions {
  /** Length of the extension of each block, which has none by default. */
  extensionBytes?: number;
  /** Whether each block makes its parent irreversible; by default nothing but block 1 is. */
  isFinal?: boolean;
}

/** Messages of blocks without transactions, whose ids and roots are invented. `branch` makes blocks of one number differ. */
export function emptyBlocks(
  parent: RecordedPosition | undefined,
  count: number,
  branch: string,
  options: MadeBlocksOptions = {},
): Buffer[] {
  const messages: Buffer[] = [];
  let previous = parent;
  for (let made = 0; made < count; made++) {
    const block = positionOf((previous?.num ?? 0) + 1, branch);
    messages.push(resultOf(block, previous, options));
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

/** `get_blocks_result_v0` (nodeos libraries/state_history/abi.cpp). */
function resultOf(
  block: RecordedPosition,
  previous: RecordedPosition | undefined,
  { extensionBytes = 0, isFinal = false }: MadeBlocksOptions,
): Buffer {
  return Buffer.concat([
    Buffer.of(BLOCKS_RESULT_V0),
    packPosition(block),
    packPosition((isFinal && previous) || positionOf(1, 'trunk')),
    Buffer.of(1),
    packPosition(block),
    ...(previous ? [Buffer.of(1), packPosition(previous)] : [Buffer.of(0)]),
    packBytes(packBlock(block, extensionBytes)),
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
  return Buffer.concat([Buffer.of(1), packVaruint(bytes.length), bytes]);
}

const FIRST_TIMESTAMP = 1_500_000_000;
/** Of a signed block without extensions and transactions, the bytes after the timestamp. */
const HEADER_BYTES = 8 + 2 + 32 + 32 + 32 + 4 + 1 + 1;
const SIGNATURE_BYTES = 66;

function packBlock({ num }: RecordedPosition, extensionBytes: number): Buffer {
  const packed = Buffer.alloc(4 + HEADER_BYTES + SIGNATURE_BYTES + 1);
  packed.writeUInt32LE(FIRST_TIMESTAMP + num, 0);
  if (extensionBytes === 0) return Buffer.concat([packed, EMPTY_LIST]);
  const type = Buffer.alloc(2);
  return Buffer.concat([packed, Buffer.of(1), type, packVaruint(extensionBytes), Buffer.alloc(extensionBytes, num)]);
}
