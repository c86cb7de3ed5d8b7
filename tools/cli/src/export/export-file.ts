import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { HistoryError } from '@antelope-history/schemas';
import type { ExportedRange, LastRow } from './action-pages';

/** How far an export is. */
export interface ExportState {
  range: ExportedRange;
  /** The last row that is written, or was left out as before the range; undefined before the first one. */
  last?: LastRow | undefined;
  /** Actions that are written. */
  rows: number;
}

export interface ExportSink {
  /** Appends a page; `state` is that after it. Rejects with `UNAVAILABLE` when it cannot be written; a file can be continued then. */
  write(text: string, state: ExportState): Promise<void>;
  /** Keeps what is needed to continue. */
  interrupt(): Promise<void>;
  finish(): Promise<void>;
}

export class StandardOutput implements ExportSink {
  constructor(private readonly output: NodeJS.WritableStream) {}

  /** Rejects with the error of the stream, whose listeners have stopped the export. */
  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.output.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  async interrupt(): Promise<void> {
    // A pipe cannot be continued.
  }

  async finish(): Promise<void> {
    // The standard output ends with the process.
  }
}

export interface UnfinishedExport extends ExportState {
  /** Bytes of the export up to `last`; what follows was not complete. */
  bytes: number;
}

/** What the file beside an unfinished export holds. */
interface Saved extends UnfinishedExport {
  version: number;
  /** The options of the export. */
  request: object;
}

const VERSION = 2;

/** A file, and beside it, until the export is complete, `FILE.resume`: a run that was killed at any moment continues there. */
export class ExportFile implements ExportSink {
  private constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
    private readonly request: object,
    private bytes: number,
  ) {}

  /** `unfinished`: what `findUnfinished` found. Rejects with `CONFIG_INVALID` when the file cannot be written. */
  static async open(file: string, request: object, unfinished: UnfinishedExport | undefined): Promise<ExportFile> {
    const bytes = unfinished?.bytes ?? 0;
    try {
      const handle = await open(file, unfinished ? 'r+' : 'w');
      await handle.truncate(bytes);
      return new ExportFile(file, handle, request, bytes);
    } catch (cause) {
      throw new HistoryError('CONFIG_INVALID', `--out: ${file} cannot be written`, { cause });
    }
  }

  async write(text: string, state: ExportState): Promise<void> {
    try {
      await this.append(Buffer.from(text), state);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new HistoryError('UNAVAILABLE', `${this.file} cannot be written: ${why}`, { cause });
    }
  }

  private async append(bytes: Buffer, state: ExportState): Promise<void> {
    // One call may write only a part of the bytes.
    for (let written = 0; written < bytes.length;) {
      const { bytesWritten } = await this.handle.write(bytes, written, bytes.length - written, this.bytes + written);
      written += bytesWritten;
    }
    await this.handle.datasync();
    this.bytes += bytes.length;
    const saved: Saved = { version: VERSION, request: this.request, bytes: this.bytes, ...state };
    await writeFile(`${this.file}.resume.new`, JSON.stringify(saved));
    await rename(`${this.file}.resume.new`, resumeFile(this.file));
  }

  async interrupt(): Promise<void> {
    await this.handle.close();
  }

  async finish(): Promise<void> {
    await this.handle.close();
    await rm(resumeFile(this.file), { force: true });
  }
}

function resumeFile(file: string): string {
  return `${file}.resume`;
}

/**
 * Where an earlier run of the same export stopped. Rejects with `CONFIG_INVALID` when the file exists and is not an unfinished export
 * with the same options, unless it is empty or may be replaced.
 */
export async function findUnfinished(
  file: string,
  request: object,
  { force }: { force: boolean },
): Promise<UnfinishedExport | undefined> {
  if (force) return undefined;
  const saved = await readSaved(file, request);
  if (saved || !existsSync(file) || (await isEmptyFile(file))) return saved;
  throw new HistoryError('CONFIG_INVALID', `--out: ${file} exists; --force replaces it`);
}

/** As a run leaves it that was killed before its first page, and as `mktemp` makes it. */
async function isEmptyFile(file: string): Promise<boolean> {
  const found = await stat(file);
  return found.isFile() && found.size === 0;
}

async function readSaved(file: string, request: object): Promise<Saved | undefined> {
  const beside = resumeFile(file);
  if (!existsSync(beside) || !existsSync(file)) return undefined;
  const saved = await readJsonFile(beside);
  const isWhole = isSaved(saved);
  if (isWhole && saved.version === VERSION && JSON.stringify(saved.request) === JSON.stringify(request)) {
    // To continue would fill the file up with zeros.
    if ((await stat(file)).size >= saved.bytes) return saved;
    throw new HistoryError(
      'CONFIG_INVALID',
      `--out: ${file} is shorter than when the export ended; --force begins it again`,
    );
  }
  throw new HistoryError(
    'CONFIG_INVALID',
    isWhole
      ? `--out: ${file} is an unfinished export with other options; --force replaces it`
      : `--out: ${beside} is damaged, so that the export cannot continue; --force begins it again`,
  );
}

/** Undefined when the file has no JSON. */
async function readJsonFile(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A file of another version has a version and a request at least. */
function isSaved(content: unknown): content is Saved {
  return typeof content === 'object' && content !== null && 'version' in content && 'request' in content;
}
