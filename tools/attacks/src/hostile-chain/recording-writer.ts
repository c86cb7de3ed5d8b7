import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/** Writes a recording folder: `ship.abi.json` and `messages.ship.gz`, each message after its length. */
export function writeRecording(
  folder: string,
  abi: string,
  messages: readonly Buffer[],
): { bytes: number; compressed: number } {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'ship.abi.json'), abi);
  const stream = Buffer.concat(messages.flatMap((message) => [lengthOf(message), message]));
  const compressed = gzipSync(stream, { level: 9 });
  writeFileSync(path.join(folder, 'messages.ship.gz'), compressed);
  return { bytes: stream.length, compressed: compressed.length };
}

function lengthOf(message: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(message.length);
  return length;
}
