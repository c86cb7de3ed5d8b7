import { HistoryError } from '@antelope-history/schemas';
import { errorTypeOf, toStoreError } from '../client/store-errors';
import type { ProgressDocument } from '../indices/documents';
import { PROGRESS_ID, ProgressReader, type ReadProgress } from '../indices/progress';

/** Each conflict means that another process has changed the progress. */
const MOST_TRIES = 50;

/** Reads the progress document and replaces it by compare and set. */
export class ProgressStore extends ProgressReader {
  /** Writes the first progress of a store; false when there is one. */
  create(progress: ProgressDocument): Promise<boolean> {
    return won(this.client.create({ index: this.names.progress, id: PROGRESS_ID, document: progress, refresh: false }));
  }

  /** Replaces the progress that was read; false when another writer has replaced it since. */
  replace(read: ReadProgress, progress: ProgressDocument): Promise<boolean> {
    return won(
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

  /** Tells readers and the directory that stored blocks are about to be rewritten, or have been. */
  async countRewrite(): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const read = await this.read();
      if (!read) break;
      if (await this.replace(read, { ...read.progress, rewrites: (read.progress.rewrites ?? 0) + 1 })) return;
    }
    throw new HistoryError('STORE_UNAVAILABLE', 'the progress changed on every attempt to count a rewrite');
  }
}

/** Whether a write succeeded. A retried write can conflict with its own first attempt; the caller re-reads on conflict. */
async function won(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (errorTypeOf(error) === 'version_conflict_engine_exception') return false;
    throw toStoreError(error);
  }
}
