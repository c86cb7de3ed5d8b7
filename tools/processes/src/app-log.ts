import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** Two files of this size at most. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/** A line of an app's log; levels are pino's: 40 warn, 50 error, 60 fatal. */
const logEntry = z.object({
  level: z.number(),
  msg: z.string().default(''),
  /** Milliseconds since 1970. */
  time: z.number().optional(),
  code: z.string().optional(),
  url: z.string().optional(),
});
export type LogEntry = z.output<typeof logEntry>;

export const WARN = 40;
export const ERROR = 50;

/** The whole log of an app as a file. A full file is renamed to `NAME.1`, which replaces the file before it. */
export class AppLogFile {
  readonly file: string;
  private bytes: number;
  private missing = 0;
  private endsInPart = false;

  /** `name` is the name of the file in `directory`, which is created when it is missing. `write` adds a text to a file. */
  constructor(
    directory: string,
    name: string,
    private readonly write: (file: string, text: string) => void = appendFileSync,
  ) {
    mkdirSync(directory, { recursive: true });
    this.file = path.join(directory, name);
    this.bytes = this.size();
  }

  /** A line that cannot be written, as on a full disk, is left out: the app goes on. The next line that can be is after a note. */
  append(line: string): void {
    try {
      if (this.missing > 0) this.add(missingNote(this.missing));
      this.missing = 0;
      this.add(line);
    } catch {
      this.missing++;
      this.measure();
    }
  }

  private add(line: string): void {
    if (this.bytes > MAX_LOG_BYTES) {
      renameSync(this.file, `${this.file}.1`);
      this.bytes = 0;
    }
    const text = `${this.endsInPart ? '\n' : ''}${line}\n`;
    this.write(this.file, text);
    this.endsInPart = false;
    this.bytes += Buffer.byteLength(text);
  }

  /** After a failure: a full disk takes a part of a line, and the file may have been removed. */
  private measure(): void {
    const before = this.bytes;
    try {
      this.bytes = this.size();
    } catch {
      // The folder cannot be read; the next line shows whether it can be written.
      return;
    }
    this.endsInPart = this.bytes > 0 && (this.endsInPart || this.bytes > before);
  }

  private size(): number {
    return statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
  }
}

function missingNote(lines: number): string {
  return JSON.stringify({ level: WARN, time: Date.now(), msg: `${lines} lines of this log could not be written` });
}

/** Parses a line of an app's output. A line that is not a log entry becomes an entry of level `error`. */
export function parseLogLine(line: string): LogEntry {
  try {
    return logEntry.parse(JSON.parse(line));
  } catch {
    return { level: ERROR, msg: line };
  }
}
