import path from 'node:path';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import type { Recording } from '@antelope-history/test-support/recordings';
import { runVerify } from '../src/index';
import { recordsOf } from './recorded-records';

/** A data directory with the blocks of a recording, forks included. */
export async function indexRecording(folder: string, name: string, recording: Recording): Promise<string> {
  const data = path.join(folder, name);
  const writer = await openLmdbStoreWriter({ path: data, mapSizeBytes: 0 });
  for (const records of recordsOf(recording)) await writer.writeBlocks([records]);
  await writer.close();
  return data;
}

/** Runs the command against a data directory. */
export async function runVerifyOn(
  args: string[],
  data: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ status: number; printed: string[] }> {
  const printed: string[] = [];
  const print = (line: string): void => void printed.push(line);
  const status = await runVerify({
    args,
    environment: { HISTORY_STORE__LMDB__PATH: data },
    print,
    progress: { show: () => undefined, print, field: () => undefined, close: () => undefined },
    signal,
  });
  return { status, printed };
}
