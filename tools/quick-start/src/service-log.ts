import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** Two files of this size at most. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/** A line of the service's log; levels are pino's: 40 warn, 50 error, 60 fatal. */
const logEntry = z.object({
  level: z.number(),
  msg: z.string().default(''),
  code: z.string().optional(),
  url: z.string().optional(),
});
export type LogEntry = z.output<typeof logEntry>;

export const WARN = 40;
export const ERROR = 50;

/** The service's whole log as a file in the data directory; the older half makes room when it is full. */
export class ServiceLogFile {
  readonly file: string;
  private bytes: number;

  constructor(directory: string, name = 'service.log') {
    mkdirSync(directory, { recursive: true });
    this.file = path.join(directory, name);
    this.bytes = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
  }

  append(line: string): void {
    if (this.bytes > MAX_LOG_BYTES) {
      renameSync(this.file, `${this.file}.1`);
      this.bytes = 0;
    }
    appendFileSync(this.file, `${line}\n`);
    this.bytes += Buffer.byteLength(line) + 1;
  }
}

/** What a line of the log says; a line that is none of the log's is taken as an error of the process. */
export function parseLogLine(line: string): LogEntry {
  try {
    return logEntry.parse(JSON.parse(line));
  } catch {
    return { level: ERROR, msg: line };
  }
}
