import type { ProgressDocument } from '../indices/documents';
import { emptyProgress, type ProgressReader } from '../indices/progress';
import { measureAge } from './query-state';

/** A progress that was the current one at some moment after `age` began to count. */
export interface ReadState {
  progress: ProgressDocument;
  /** The version of the document; undefined while the store has none. */
  seqNo: number | undefined;
  primaryTerm: number | undefined;
  /** Milliseconds since the request for it was sent. */
  age: () => number;
}

/** Reads the progress for the queries of one process. */
export class CommittedState {
  private held: ReadState | undefined;
  private running: Promise<ReadState> | undefined;
  private next: Promise<ReadState> | undefined;

  /**
   * `onReset` is called when the indices were deleted and made again: the progress is of another store, or has an earlier version than
   * before.
   */
  constructor(
    private readonly progress: ProgressReader,
    private readonly onReset: () => void,
  ) {}

  /** The progress that was read last, if it was requested at most `maxAgeMs` ago. */
  heldSince(maxAgeMs: number): ReadState | undefined {
    return this.held && this.held.age() <= maxAgeMs ? this.held : undefined;
  }

  /**
   * The current progress, by a request that is sent after this call. Calls that wait for the same request share it: a process
   * sends one at a time, however many queries it runs.
   */
  read(): Promise<ReadState> {
    if (!this.running) return this.send();
    this.next ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.send();
      });
    return this.next;
  }

  private send(): Promise<ReadState> {
    this.running = this.request().finally(() => (this.running = undefined));
    return this.running;
  }

  private async request(): Promise<ReadState> {
    const age = measureAge();
    const read = await this.progress.read();
    const state: ReadState = {
      progress: read?.progress ?? emptyProgress(1),
      seqNo: read?.seqNo,
      primaryTerm: read?.primaryTerm,
      age,
    };
    if (this.held && isOfLaterIndices(state, this.held)) this.onReset();
    this.held = state;
    return state;
  }
}

/** Versions alone do not tell: the progress of later indices may have passed the version that was read last. */
function isOfLaterIndices(state: ReadState, before: ReadState): boolean {
  return state.progress.store_id !== before.progress.store_id || (state.seqNo ?? -1) < (before.seqNo ?? -1);
}

/** Whether two reads found the same progress. Versions count anew in indices that were deleted and made again. */
export function areSame(one: ReadState, other: ReadState): boolean {
  return (
    one.seqNo === other.seqNo &&
    one.primaryTerm === other.primaryTerm &&
    one.progress.store_id === other.progress.store_id &&
    one.progress.chain_id === other.progress.chain_id &&
    one.progress.committed?.id === other.progress.committed?.id &&
    one.progress.clean_up_to === other.progress.clean_up_to
  );
}
