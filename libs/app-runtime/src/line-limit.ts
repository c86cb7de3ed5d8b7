import type { Logger } from './logger';

/** Lines of one kind that are written in `WINDOW_MS`. */
const MAX_LINES = 10;
const WINDOW_MS = 10_000;

interface Written {
  since: number;
  lines: number;
}

/**
 * Limits the lines that each of many requests writes while something is unavailable. There can be thousands per second, which
 * fill the disk and delay all other requests: a thread waits until its line is written.
 */
export class LineLimit {
  private readonly kinds = new Map<string, Written>();

  /** `now`: milliseconds of a steady clock. */
  constructor(
    private readonly log: Logger,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * `kind`: what lines have in common; it has few values. The first line after some were left out has their number as `leftOut`.
   */
  write(level: 'warn' | 'error', kind: string, entry: object, message: string): void {
    const now = this.now();
    let written = this.kinds.get(kind);
    let leftOut = 0;
    if (!written || now - written.since >= WINDOW_MS) {
      leftOut = Math.max(0, (written?.lines ?? 0) - MAX_LINES);
      written = { since: now, lines: 0 };
      this.kinds.set(kind, written);
    }
    written.lines++;
    if (written.lines > MAX_LINES) return;
    const isLast = written.lines === MAX_LINES;
    this.log[level](
      leftOut > 0 ? { ...entry, leftOut } : entry,
      isLast ? `${message}; further such lines are left out for up to ten seconds` : message,
    );
  }
}
