import { errorTypeOf, toStoreError } from '../client/store-errors';
import type { ProgressDocument } from '../indices/documents';
import { PROGRESS_ID, ProgressReader, type ReadProgress } from '../indices/progress';

/** Reads the progress document and replaces it by compare and set. */
export class ProgressStore extends ProgressReader {
  /** Writes the first progress of a store; false when somebody did before. */
  create(progress: ProgressDocument): Promise<boolean> {
    return won(this.client.create({ index: this.names.progress, id: PROGRESS_ID, document: progress, refresh: false }));
  }

  /** Replaces what was read; false when it is no longer what is there. */
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
}

/** Whether a write came first. One that was sent twice may lose against itself: who lost reads again. */
async function won(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (errorTypeOf(error) === 'version_conflict_engine_exception') return false;
    throw toStoreError(error);
  }
}
