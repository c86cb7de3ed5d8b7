import path from 'node:path';
import { peekBlocksResult, type BlocksResult } from './blocks-result';
import { findChainId } from './chain-id';
import { RecordingError } from './recording-error';
import { messageOf, readGzipFile, readRecordingFile } from './recording-file';

/** A message of a state history socket with its parsed frame; `bytes` is a view, not a copy. */
export interface RecordedMessage extends BlocksResult {
  /** Index in the stream, from 0. */
  index: number;
  bytes: Buffer;
}

/** The messages of a state history socket in the order received; forks are lower block numbers that are sent again. */
export interface Recording {
  /** The text frame that opens the socket: the ABI of everything after it. */
  abi: string;
  messages: readonly RecordedMessage[];
  /** 64 lowercase hex digits; `undefined` when the recording began in the middle of a chain. */
  chainId: string | undefined;
}

const MESSAGES_FILE = 'messages.ship.gz';

/** Messages of a socket that was asked with `get_blocks_request_v1` and `fetch_finality_data`; only Spring has them. */
export const V1_MESSAGES_FILE = 'messages.v1.ship.gz';

/** Loads a recording folder: `ship.abi.json` and the messages of one socket. Throws `RecordingError`. */
export function openRecording(folder: string, messagesFile = MESSAGES_FILE): Recording {
  const abi = readRecordingFile(folder, 'ship.abi.json').toString('utf8');
  const packed = readGzipFile(folder, messagesFile);
  try {
    return createRecording(abi, splitMessages(packed));
  } catch (error) {
    throw new RecordingError(`${path.join(folder, messagesFile)}: ${messageOf(error)}`, { cause: error });
  }
}

/** Makes a recording from messages in memory, each a `get_blocks_result_v0` or `_v1`. Throws `RecordingError`. */
export function createRecording(abi: string, packedMessages: Iterable<Buffer>): Recording {
  const messages: RecordedMessage[] = [];
  for (const bytes of packedMessages) {
    const index = messages.length;
    try {
      messages.push({ index, bytes, ...peekBlocksResult(bytes) });
    } catch (error) {
      throw new RecordingError(`Message ${index}: ${messageOf(error)}`, { cause: error });
    }
  }
  return { abi, messages, chainId: findChainId(messages) };
}

/** The stream repeats `uint32 length, message`; the views share one buffer. */
function* splitMessages(packed: Buffer): Generator<Buffer> {
  let offset = 0;
  for (let index = 0; offset < packed.length; index++) {
    const start = offset + 4;
    const end = start <= packed.length ? start + packed.readUInt32LE(offset) : Infinity;
    if (end > packed.length) throw new RecordingError(`Message ${index} is cut short at byte ${packed.length}`);
    yield packed.subarray(start, end);
    offset = end;
  }
}
