import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ByteReader } from '@antelope-history/abi';
import { type BlockRecords, blockRecordsCodec, RecordWriter } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';

/** In the data directory, so that who may write the data may ask for repairs, and no one else. */
const FOLDER = 'repairs';
const REQUEST = '.blocks';
/** What the writer leaves in the place of a request that it has applied, until its program has seen it. */
const APPLIED = '.applied';
/** Holds the reason of a refusal. */
const REFUSED = '.refused';
const UNFINISHED = '.new';

const DIGEST_BYTES = 32;
const POLL_MS = 50;
/** The writer looks for repairs every second; it may be in the middle of a large write. */
const SILENCE_LIMIT_MS = 60_000;
/** A file that is neither complete nor read after so many silences was left by a program that was killed. */
const ABANDONED_AFTER = 10;

/** Applies a repair. Call `onCommit` after each of its commits: a repair that changes long lists takes minutes. */
export type ApplyRepair = (blocks: BlockRecords[], onCommit: () => void) => Promise<void>;

/**
 * Passes repairs to the process that writes a data directory, as files: it caches what it has written, so that no other process
 * may write beside it. A file is a repair that was proved; it may be applied at any time, and any number of times.
 */
export class RepairSpool {
  private readonly folder: string;

  /** `silenceLimitMs`: the longest time for which a request waits for a sign of the writer. */
  constructor(
    private readonly directory: string,
    private readonly silenceLimitMs = SILENCE_LIMIT_MS,
  ) {
    this.folder = path.join(directory, FOLDER);
  }

  /**
   * Applies what was asked for, oldest first. A repair that cannot be applied is refused with its reason. Rejects with a retryable
   * error of `repair`; that repair and later ones are applied by another call.
   */
  async apply(repair: ApplyRepair): Promise<void> {
    if (!existsSync(this.folder)) return;
    for (const name of readdirSync(this.folder).sort()) {
      const file = path.join(this.folder, name);
      if (!name.endsWith(REQUEST)) {
        this.removeAbandoned(file);
        continue;
      }
      const refusal = await refusalOf(() => repair(unpack(readFileSync(file)), () => touch(file)));
      if (refusal !== undefined) writeFileSync(`${file}${REFUSED}`, refusal);
      // A program that has given the request up has removed it.
      else if (existsSync(file)) renameSync(file, `${file}${APPLIED}`);
      rmSync(file, { force: true });
    }
  }

  /**
   * Asks the writer for a repair; resolves when it is applied, however long the writer works on it and on those before it. Rejects
   * with `REPAIR_REFUSED`, or with `STORE_UNAVAILABLE` when the writer gives no sign of work, or when the outcome is no longer there
   * because this process was suspended for longer than outcomes are kept.
   */
  async request(blocks: readonly BlockRecords[]): Promise<void> {
    mkdirSync(this.folder, { recursive: true });
    const file = path.join(this.folder, `${Date.now()}-${randomUUID()}${REQUEST}`);
    writeFileSync(`${file}${UNFINISHED}`, pack(blocks), { flush: true });
    renameSync(`${file}${UNFINISHED}`, file);
    await this.untilTaken(file);
    if (take(`${file}${APPLIED}`)) return;
    const reason = take(`${file}${REFUSED}`);
    if (reason) throw new HistoryError('REPAIR_REFUSED', reason.toString('utf8'));
    throw new HistoryError(
      'STORE_UNAVAILABLE',
      `the process that writes to ${this.directory} has taken a repair, but its outcome is not there any more: repair again`,
    );
  }

  private removeAbandoned(file: string): void {
    const modifiedAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - modifiedAtMs > ABANDONED_AFTER * this.silenceLimitMs) rmSync(file, { force: true });
  }

  private async untilTaken(file: string): Promise<void> {
    let sign = this.signOfWork();
    let silentSince = performance.now();
    while (existsSync(file)) {
      const now = this.signOfWork();
      if (now !== sign) [sign, silentSince] = [now, performance.now()];
      if (performance.now() - silentSince > this.silenceLimitMs) {
        rmSync(file, { force: true });
        throw new HistoryError(
          'STORE_UNAVAILABLE',
          `the process that writes to ${this.directory} takes no repairs: it must run, and be of this version`,
        );
      }
      await sleep(POLL_MS);
    }
  }

  /** Changes when the writer ends the repair that it works on, which is the oldest, or commits a part of it. */
  private signOfWork(): string {
    const [oldest] = readdirSync(this.folder)
      .filter((name) => name.endsWith(REQUEST))
      .sort();
    if (oldest === undefined) return '';
    const status = statSync(path.join(this.folder, oldest), { throwIfNoEntry: false });
    return `${oldest} ${status?.mtimeMs ?? 0}`;
  }
}

/** The reason why a repair cannot be applied; undefined when it is. Rejects with a retryable error. */
async function refusalOf(repair: () => Promise<void>): Promise<string | undefined> {
  try {
    await repair();
    return undefined;
  } catch (error) {
    if (error instanceof HistoryError && error.retryable) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * A failure must not end the repair in its middle: the program may have given it up and removed the file, or may belong to another
 * user, of whose files only the owner sets the times. Such a program waits no longer than for a writer that gives no sign.
 */
function touch(file: string): void {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    // See above.
  }
}

/** Reads and removes a file; undefined where there is none. */
function take(file: string): Buffer | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  rmSync(file, { force: true });
  return bytes;
}

/** SHA-256 of the rest | varuint blocks | per block its records, length-prefixed. */
function pack(blocks: readonly BlockRecords[]): Buffer {
  const writer = new RecordWriter(64 * 1024);
  writer.varuint(blocks.length);
  for (const block of blocks) writer.lengthPrefixed(blockRecordsCodec.encode(block));
  const body = writer.view(0);
  return Buffer.concat([digestOf(body), body]);
}

/** Throws `DECODE_FAILED` when the bytes were changed. */
function unpack(bytes: Buffer): BlockRecords[] {
  const body = bytes.subarray(DIGEST_BYTES);
  if (!digestOf(body).equals(bytes.subarray(0, DIGEST_BYTES))) {
    throw new HistoryError('DECODE_FAILED', 'the file of the repair is damaged');
  }
  const reader = new ByteReader(body);
  const count = reader.varuint32();
  const blocks: BlockRecords[] = [];
  for (let index = 0; index < count; index++) blocks.push(blockRecordsCodec.decode(reader.lengthPrefixed()));
  return blocks;
}

function digestOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
