import { HistoryError } from '@antelope-history/schemas';
import type { ProgressDocument } from '../indices/documents';
import { writeTermsOf } from '../indices/progress';
import type { WriteFences } from '../write/write-fence';
import type { ProgressStore } from './progress-store';

/** Each attempt after the first means that another process has begun a write term meanwhile. */
const MAX_TRIES = 50;

/**
 * Ends the write terms of all blocks before stored ones are rewritten: a process that was suspended with one of them would
 * otherwise bring back what it knows of it, however late. It can have a message with a higher sequence than that of the document,
 * and a document that is deleted, or was lost with its index, has no version.
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
    await this.begin();
    return begun;
  }

  /** Ends all write terms before those that the progress names. */
  private async begin(): Promise<void> {
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
