import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { RecordedPosition } from '@antelope-history/test-support/recordings';
import { createRecording, peekBlocksResult, type Recording } from '@antelope-history/test-support/recordings';

/** A frame of a recorded session; `dir` is seen from the client. */
export interface TranscriptFrame {
  dir: 'in' | 'out' | 'close';
  at_ms?: number;
  text?: boolean | string;
  hex?: string;
  code?: number;
}

/** A recorded session with a node's socket. */
export interface Session {
  name: string;
  what: string;
  head_before: number;
  frames: TranscriptFrame[];
}

export function readTranscript(name: string): Session[] {
  return readFileSync(path.join(__dirname, 'transcripts', `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Session);
}

/** The binary frames that the node sent, over all sessions. */
function receivedFrames(sessions: Session[]): Buffer[] {
  return sessions.flatMap(({ frames }) =>
    frames.flatMap(({ dir, hex }) => (dir === 'in' && hex !== undefined ? [Buffer.from(hex, 'hex')] : [])),
  );
}

/**
 * The chain of a transcript, built from the transcript itself, because no recording has it (EOSIO: another run of the chain;
 * Leap: later blocks). Complete blocks are used as sent. A block known only as head or LIB of another message becomes a
 * message without contents: no session requests it, but its number moves the head. `lagOfLib`: the distance of LIB to the
 * head when a block is announced, as in the transcript.
 */
export function recordingOfTranscript(sessions: Session[], abi: string, lagOfLib: number): Recording {
  const whole = new Map<number, Buffer>();
  const ids = new Map<number, string>();
  for (const bytes of receivedFrames(sessions)) {
    for (const { num, id } of positionsOf(bytes)) ids.set(num, id);
    if (bytes[0] !== 1) continue;
    const { thisBlock } = peekBlocksResult(bytes);
    const longest = thisBlock && (whole.get(thisBlock.num)?.length ?? 0);
    if (thisBlock && longest !== undefined && bytes.length > longest) whole.set(thisBlock.num, bytes);
  }
  const position = (num: number): RecordedPosition => ({ num, id: ids.get(num) ?? num.toString(16).padStart(64, '0') });
  const last = Math.max(...ids.keys());
  const nums = Array.from({ length: last }, (_, index) => index + 1).filter((num) => num < 4 || num > 600);
  const messages = nums.map((num) => {
    const opening = packPositions(position(num), position(Math.max(1, num - lagOfLib)));
    const rest = whole.get(num)?.subarray(73) ?? emptyContents(position(num), position(num - 1));
    return Buffer.concat([Buffer.from([1]), opening, rest]);
  });
  return createRecording(abi, messages);
}

function positionsOf(bytes: Buffer): RecordedPosition[] {
  const at = (offset: number): RecordedPosition => ({
    num: bytes.readUInt32LE(offset),
    id: bytes.toString('hex', offset + 4, offset + 36),
  });
  if (bytes[0] === 0) return [at(1), at(37)];
  const { head, lastIrreversible, thisBlock, prevBlock } = peekBlocksResult(bytes);
  return [head, lastIrreversible, thisBlock, prevBlock].filter((position) => position !== undefined);
}

function packPositions(...positions: RecordedPosition[]): Buffer {
  return Buffer.concat(
    positions.map(({ num, id }) => {
      const packed = Buffer.alloc(36);
      packed.writeUInt32LE(num, 0);
      packed.write(id, 4, 'hex');
      return packed;
    }),
  );
}

function emptyContents(thisBlock: RecordedPosition, prevBlock: RecordedPosition): Buffer {
  const present = Buffer.from([1]);
  return Buffer.concat([present, packPositions(thisBlock), present, packPositions(prevBlock), Buffer.alloc(3)]);
}
