import type { ChainStatus } from '@antelope-history/store';
import type { ProgressDocument } from '../indices/documents';
import { statusOf } from '../indices/progress';
import type { Committer } from './committer';
import type { Housekeeping } from './housekeeping';

/** Interval of commits that postponed blocks wait for. */
const AWAITED_EVERY_MS = 300;

/**
 * Decides when to commit. Following the head, each write commits. Far behind it, commits run at intervals beside the writes:
 * making documents visible costs more than writing them.
 */
export class CommitSchedule {
  private running: Promise<ProgressDocument> | undefined;
  private next: Promise<ProgressDocument> | undefined;
  private lastAt = -Infinity;
  private isFarBehind = false;
  private beside: Promise<unknown> | undefined;
  /** The failure of a commit beside the writes; the next call throws it. */
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly committer: Committer,
    private readonly housekeeping: Housekeeping,
    private readonly everyMs: number,
  ) {}

  /**
   * Called after a write; returns the status if it committed, undefined if a commit runs beside it or later. `isAwaited`: blocks
   * were postponed until others are committed.
   */
  async written(isFarBehind: boolean, isAwaited: boolean): Promise<ChainStatus | undefined> {
    this.isFarBehind = isFarBehind;
    this.throwFailure();
    if (!isFarBehind) return statusOf(await this.commit());
    this.beside ??= this.commitAtInterval(isAwaited ? Math.min(AWAITED_EVERY_MS, this.everyMs) : this.everyMs)
      .catch((error: unknown) => (this.failure = { error }))
      .finally(() => (this.beside = undefined));
    return undefined;
  }

  /** Commits, unless it is far behind the head and a commit was made recently by any writer; goes on with the work after commits. */
  async commitIfDue(): Promise<ChainStatus | undefined> {
    this.throwFailure();
    const progress = await (this.isFarBehind ? this.commitAtInterval(this.everyMs) : this.commit());
    if (!progress) return undefined;
    this.housekeeping.maintain(progress);
    return statusOf(progress);
  }

  /** Resolves when no commit and no housekeeping is in progress. */
  async idle(): Promise<void> {
    await Promise.allSettled([this.beside, this.running, this.next]);
    await this.housekeeping.idle();
  }

  /** Of several writers one commits; another takes over when that one stops. */
  private async commitAtInterval(everyMs: number): Promise<ProgressDocument | undefined> {
    if (performance.now() - this.lastAt < everyMs) return undefined;
    this.lastAt = performance.now();
    return (await this.committer.hasBeenMoved()) ? undefined : this.commit();
  }

  private throwFailure(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure.error;
  }

  /** Commits what is durable now. A running commit may have read the journal earlier, so another one follows it. */
  private commit(): Promise<ProgressDocument> {
    if (!this.running) return this.start();
    this.next ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.start();
      });
    return this.next;
  }

  private start(): Promise<ProgressDocument> {
    this.running = this.committer
      .commit((commit) => this.housekeeping.after(commit))
      .finally(() => {
        this.running = undefined;
        this.lastAt = performance.now();
      });
    return this.running;
  }
}
