import type { ChainStatus } from '@antelope-history/store';
import type { Committer } from './committer';
import type { Housekeeping } from './housekeeping';

/**
 * When to commit: following the head with each write, far behind it now and then and beside the writes, since making
 * documents visible costs more than writing them.
 */
export class CommitSchedule {
  private running: Promise<ChainStatus> | undefined;
  private next: Promise<ChainStatus> | undefined;
  private lastAt = -Infinity;
  private isFarBehind = false;
  private beside: Promise<unknown> | undefined;
  /** Of a commit beside the writes: the next call tells it. */
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly committer: Committer,
    private readonly housekeeping: Housekeeping,
    private readonly everyMs: number,
  ) {}

  /** After a write; gives the status when it was committed, undefined when that is done beside or later. */
  async written(isFarBehind: boolean): Promise<ChainStatus | undefined> {
    this.isFarBehind = isFarBehind;
    this.throwFailure();
    if (!isFarBehind) return this.commit();
    this.beside ??= this.commitNowAndThen()
      .catch((error: unknown) => (this.failure = { error }))
      .finally(() => (this.beside = undefined));
    return undefined;
  }

  /** Commits, unless it is far behind the head and has just been done, by whomever. */
  async commitIfDue(): Promise<ChainStatus | undefined> {
    this.throwFailure();
    return this.isFarBehind ? this.commitNowAndThen() : this.commit();
  }

  /** Resolves when no commit is under way, nor what follows it. */
  async idle(): Promise<void> {
    await Promise.allSettled([this.beside, this.running, this.next]);
    await this.housekeeping.idle();
  }

  /** Of several writers one commits, and another when that stops. */
  private async commitNowAndThen(): Promise<ChainStatus | undefined> {
    if (performance.now() - this.lastAt < this.everyMs) return undefined;
    this.lastAt = performance.now();
    return (await this.committer.hasBeenMoved()) ? undefined : this.commit();
  }

  private throwFailure(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure.error;
  }

  /** Commits what is durable now: one that is under way may have looked before, so another follows it. */
  private commit(): Promise<ChainStatus> {
    if (!this.running) return this.start();
    this.next ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.start();
      });
    return this.next;
  }

  private start(): Promise<ChainStatus> {
    this.running = this.committer
      .commit((commit) => this.housekeeping.after(commit))
      .finally(() => {
        this.running = undefined;
        this.lastAt = performance.now();
      });
    return this.running;
  }
}
