import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { RecordingError } from './recording-error';

/** Reads a file of a recording folder. Throws a `RecordingError` that names the file. */
export function readRecordingFile(folder: string, name: string): Buffer {
  const file = path.join(folder, name);
  try {
    return readFileSync(file);
  } catch (error) {
    throw new RecordingError(`${file} can not be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Reads and unpacks a gzip file of a recording folder. Throws a `RecordingError` that names the file. */
export function readGzipFile(folder: string, name: string): Buffer {
  const packed = readRecordingFile(folder, name);
  try {
    return gunzipSync(packed);
  } catch (error) {
    throw new RecordingError(`${path.join(folder, name)} is not a whole gzip file: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Reads a JSON file of a recording folder; the caller knows its shape. Throws a `RecordingError` that names the file. */
export function readJsonFile(folder: string, name: string): unknown {
  const text = readRecordingFile(folder, name).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RecordingError(`${path.join(folder, name)} is not JSON: ${messageOf(error)}`, { cause: error });
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
