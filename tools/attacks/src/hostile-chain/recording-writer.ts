import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/** Writes a recording folder: `ship.abi.json` and `messages.ship.gz`, each message after its length. */
export function writeRecording(
  folder: string,
  abi: string,
  messages: readonly Buffer[],
): { bytes: number; packed: number } {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'ship.abi.json'), abi);
  const stream = Buffer.concat(messages.flatMap((message) => [lengthOf(message), message]));
  const packed = gzipSync(stream, { level: 9 });
  writeFileSync(path.join(folder, 'messages.ship.gz'), packed);
  return { bytes: stream.length, packed: packed.length };
}

function lengthOf(message: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(message.length);
  return length;
}
