import { statSync } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';
import { dataFileIn } from './environment';

/** How long a reader uses what it saw of the file. */
export const LOOK_EVERY_MS = 1_000;

/**
 * The data file that a process has open. When an operator puts another directory in the place of a running process's, the process
 * goes on with the old file, which nobody sees any more: a reader would answer from the past, and what a writer commits would be lost.
 */
export class DataFile {
  private readonly opened: string | undefined;
  private lookedAt = performance.now();
  private isInPlace = true;

  /** Create it right after the environment of the directory is opened. */
  constructor(private readonly directory: string) {
    this.opened = this.identity();
  }

  /** Throws `STORE_UNAVAILABLE` when the directory has another data file, or none. */
  assertInPlace(): void {
    this.isInPlace = this.identity() === this.opened;
    this.lookedAt = performance.now();
    if (this.isInPlace) return;
    throw new HistoryError(
      'STORE_UNAVAILABLE',
      `the data directory ${this.directory} was replaced while it was open: restart this process`,
    );
  }

  /** The same about once a second, for what is called for each query. */
  assertLatelyInPlace(): void {
    if (!this.isInPlace || performance.now() - this.lookedAt > LOOK_EVERY_MS) this.assertInPlace();
  }

  /** Undefined where there is no file. */
  private identity(): string | undefined {
    const found = statSync(dataFileIn(this.directory), { throwIfNoEntry: false });
    return found && `${found.dev} ${found.ino}`;
  }
}
