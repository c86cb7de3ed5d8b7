import { HistoryError } from '@antelope-history/schemas';
import type { ProgressDocument } from '../indices/documents';
import { areWriterFields, type ReadProgress, writeTermsOf } from '../indices/progress';
import type { WriteFences } from '../write/write-fence';
import type { ProgressStore } from './progress-store';

/** Each attempt after the first means that another process has begun a write term meanwhile. */
const MAX_TRIES = 50;

/**
 * Begins new write terms of all blocks before stored blocks are rewritten, and when the writers begin to index other data fields.
 * Otherwise a process that was suspended while it wrote a block could replace the new documents later, by those that it has. Versions do
 * not prevent this: its message may have a higher sequence, and a document that was deleted, or lost with its index, has no version.
 */
export class WriteTerms {
  constructor(
    private readonly progress: ProgressStore,
    private readonly fences: WriteFences,
  ) {}

  /**
   * Resolves, with a progress, when every writer that can still write knows that progress or a later one. `change`: what the
   * progress is changed by besides.
   */
  async beginNew(change: (progress: ProgressDocument) => ProgressDocument = same): Promise<ProgressDocument> {
    const begun = await this.progress.change((progress) => withNewTerms(change(progress)), 'begin write terms');
    await this.resume();
    return begun;
  }

  /** Makes these the data fields by which all writers index; resolves when no writer by other ones can write any more. */
  async indexBy(dataFields: readonly string[]): Promise<void> {
    const keys = [...dataFields].sort();
    await this.progress.change((progress) => {
      if (progress.writer_fields && areWriterFields(keys, progress)) return false;
      return { ...withNewTerms(progress), writer_fields: { keys, begin: true } };
    }, 'change the data fields');
    await this.settled();
  }

  /** The newest progress, in which no change of the data fields is in progress: completes one that any process has begun. */
  async settled(): Promise<ReadProgress> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const read = await this.progress.require();
      if (!read.progress.writer_fields?.begin) return read;
      await this.resume();
      const { history_term: term } = read.progress;
      await this.progress.change(({ writer_fields: fields, ...progress }) => {
        // The terms of a later change may not have begun.
        if (!fields?.begin || progress.history_term !== term) return false;
        return { ...progress, writer_fields: { keys: fields.keys } };
      }, 'change the data fields');
    }
    throw new HistoryError('STORE_UNAVAILABLE', 'other processes change the data fields');
  }

  /** Ends all write terms before those that the progress names: the process that has named them may have died before. */
  async resume(): Promise<void> {
    const { reversible, irreversible } = this.fences;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const terms = writeTermsOf((await this.progress.require()).progress);
      // The aliases of the earlier terms may still exist when another process has begun a later one.
      if ((await reversible.begin(terms.reversible)) && (await irreversible.begin(terms.irreversible))) return;
    }
    throw new HistoryError('STORE_UNAVAILABLE', 'other processes begin write terms');
  }
}

function withNewTerms(progress: ProgressDocument): ProgressDocument {
  const { reversible, irreversible } = writeTermsOf(progress);
  return { ...progress, write_term: reversible + 1, history_term: irreversible + 1 };
}

function same(progress: ProgressDocument): ProgressDocument {
  return progress;
}
