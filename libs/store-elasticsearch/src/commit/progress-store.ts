import { randomUUID } from 'node:crypto';
import { HistoryError } from '@antelope-history/schemas';
import { errorTypeOf, toStoreError } from '../client/store-errors';
import type { ProgressDocument } from '../indices/documents';
import { FORMAT_VERSION } from '../indices/format-version';
import { withRestored } from '../indices/restored-blocks';
import { PROGRESS_ID, ProgressReader, type ReadProgress } from '../indices/progress';

/** Each conflict means that another process has changed the progress. */
const MAX_TRIES = 50;
/** The most blocks that are reserved at once. A range that is full ends with the last block that a process has reserved. */
const MAX_AHEAD = 10_000;

/** Reads the progress document and replaces it by compare and set. */
export class ProgressStore extends ProgressReader {
  /** Writes the first progress of a store; false when there is one. */
  create(progress: ProgressDocument): Promise<boolean> {
    return withoutConflict(
      this.client.create({ index: this.names.progress, id: PROGRESS_ID, document: progress, refresh: false }),
    );
  }

  /** Replaces the progress that was read; false when another writer has replaced it since. */
  replace(read: ReadProgress, progress: ProgressDocument): Promise<boolean> {
    return withoutConflict(
      this.client.index({
        index: this.names.progress,
        id: PROGRESS_ID,
        document: progress,
        if_seq_no: read.seqNo,
        if_primary_term: read.primaryTerm,
        refresh: false,
      }),
    );
  }

  /**
   * Names the format of this version, before a document of it is written, so that processes of an earlier version stop to read and to
   * commit.
   */
  async raiseFormat(): Promise<void> {
    await this.change(
      (progress) => progress.format_version < FORMAT_VERSION && { ...progress, format_version: FORMAT_VERSION },
      'raise the format',
    );
  }

  /** The newest progress of a store that has been opened. Rejects with `STORE_UNAVAILABLE` when its index was deleted since. */
  async require(): Promise<ReadProgress> {
    const read = await this.read();
    if (!read) throw new HistoryError('STORE_UNAVAILABLE', 'the progress is missing');
    return read;
  }

  /** Tells readers and the directory that stored blocks are about to be rewritten; returns what `endRewrites` takes. */
  async beginRewrite(): Promise<string> {
    const id = randomUUID();
    await this.change(({ rewriting = [], ...progress }) => {
      return !rewriting.includes(id) && { ...withRewriteCounted(progress), rewriting: [...rewriting, id] };
    }, 'begin a rewrite');
    return id;
  }

  /** Tells them that these blocks have been rewritten. */
  async endRewrites(begun: readonly string[], rewritten: readonly number[] = []): Promise<void> {
    await this.change(({ rewriting = [], ...progress }) => {
      const others = rewriting.filter((each) => !begun.includes(each));
      const ended = withRewriteCounted(withRestored(progress, rewritten));
      return { ...ended, ...(others.length > 0 && { rewriting: others }) };
    }, 'end a rewrite');
  }

  /**
   * Tells committers that a process is about to write a block and some after it. Returns the progress that does, with the range of the
   * block.
   */
  async reserve(blockNum: number): Promise<ProgressDocument> {
    return this.change((progress) => {
      const { ranges, blocks_per_index: blocksPerIndex } = progress;
      if (!ranges || blockNum < ranges.unwritten_from) return false;
      const ahead = Math.ceil(Math.min(MAX_AHEAD, blocksPerIndex / 100));
      return { ...progress, ranges: { ...ranges, unwritten_from: blockNum + ahead } };
    }, 'reserve blocks');
  }

  /** Replaces the progress by what `next` makes of it, which is returned; false = it stays. */
  async change(next: (progress: ProgressDocument) => ProgressDocument | false, why: string): Promise<ProgressDocument> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const read = await this.require();
      const progress = next(read.progress);
      if (!progress) return read.progress;
      if (await this.replace(read, progress)) return progress;
    }
    throw new HistoryError('STORE_UNAVAILABLE', `the progress changed on every attempt to ${why}`);
  }
}

/** The progress that tells readers and the directory not to rely on what was derived from stored blocks. */
export function withRewriteCounted(progress: ProgressDocument): ProgressDocument {
  return { ...progress, rewrites: (progress.rewrites ?? 0) + 1 };
}

/** Whether a write succeeded. A retried write can conflict with its own first attempt; the caller re-reads on conflict. */
async function withoutConflict(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (errorTypeOf(error) === 'version_conflict_engine_exception') return false;
    throw toStoreError(error);
  }
}
