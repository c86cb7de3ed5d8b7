import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { BlockPosition } from '@antelope-history/schemas';

/**
 * Loaded before a program of the distributed set (`node --require`): while the file exists, which lists ids of blocks, the first
 * indexer that is about to send documents of one of them suspends itself. A suspension from outside hardly ever comes between the
 * reading of the progress and the sending.
 */
export const LATE_WRITER_VARIABLE = 'HISTORY_SIMULATED_LATE_WRITER_FILE';

/** Written next to the file by the indexer that suspends itself. */
export interface LateWrite {
  pid: number;
  blockNum: number;
}

export const lateWriteFile = (file: string): string => `${file}.late`;

interface BulkWriterModule {
  BulkWriter: { prototype: { ask(request: { blocks: (BlockPosition | undefined)[] }): unknown } };
}

function suspendBeforeWrites(file: string): void {
  const load = createRequire(__filename);
  const writer = load.resolve('@antelope-history/store-elasticsearch/writer');
  const { prototype } = (load(path.join(path.dirname(writer), 'write/bulk-writer.js')) as BulkWriterModule).BulkWriter;
  const { ask } = prototype;
  prototype.ask = function (request) {
    suspendBefore(request.blocks, file);
    return ask.call(this, request);
  };
}

function suspendBefore(blocks: readonly (BlockPosition | undefined)[], file: string): void {
  try {
    const ids = readFileSync(file, 'utf8');
    const block = blocks.find((each) => each && ids.includes(each.id));
    if (!block) return;
    // Of several indexers one succeeds.
    renameSync(file, `${file}.taken`);
    const late: LateWrite = { pid: process.pid, blockNum: block.num };
    writeFileSync(lateWriteFile(file), JSON.stringify(late));
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGSTOP');
}

const file = process.env[LATE_WRITER_VARIABLE];
if (isMainThread && file !== undefined && (process.argv[1] ?? '').includes('indexer')) suspendBeforeWrites(file);
