import type { Socket } from 'node:net';
import { HistoryError } from '@antelope-history/schemas';
import { ownIdentity } from './process-identity';

/** An opening takes milliseconds. */
export const OPENING_LIMIT_MS = 30_000;

/**
 * Keeps the commits of a writer and the openings of other processes apart. LMDB's `mdb_env_open` reads the number of the newest
 * transaction from the data file and writes it to the table that all processes share; a commit between the two is lost, and the
 * next one may overwrite pages in use.
 *
 * A process connects to the writer's socket before it opens the directory, waits until the writer sends its identity, and disconnects
 * afterwards. It waits while a commit runs; a commit waits for those that open, and lets no further ones open meanwhile.
 */
export class OpeningGate {
  private readonly waiting = new Set<Socket>();
  private readonly opening = new Map<Socket, Promise<void>>();
  private commits = 0;

  /** `limitMs`: the longest time for which a commit waits for a process that opens the directory. */
  constructor(private readonly limitMs = OPENING_LIMIT_MS) {}

  readonly admit = (visitor: Socket): void => {
    // The event 'close' follows an error.
    visitor.on('error', () => undefined);
    visitor.once('close', () => this.waiting.delete(visitor));
    this.waiting.add(visitor);
    // Node.js reports the end of a connection only while it reads from the socket.
    visitor.resume();
    this.letOpen();
  };

  /** Runs `commit` while no other process opens the directory. Rejects with `STORE_UNAVAILABLE` when one does not finish. */
  async whileNoneOpens<T>(commit: () => T | Promise<T>): Promise<T> {
    this.commits++;
    try {
      if (this.opening.size > 0) await this.untilNoneOpens();
      return await commit();
    } finally {
      this.commits--;
      this.letOpen();
    }
  }

  /** Disconnects all visitors. */
  close(): void {
    for (const visitor of [...this.waiting, ...this.opening.keys()]) visitor.destroy();
  }

  private letOpen(): void {
    if (this.commits > 0) return;
    for (const visitor of this.waiting) {
      this.waiting.delete(visitor);
      const ended = new Promise<void>((resolve) => visitor.once('close', resolve));
      this.opening.set(visitor, ended);
      void ended.then(() => this.opening.delete(visitor));
      visitor.write(JSON.stringify(ownIdentity()));
    }
  }

  private async untilNoneOpens(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(openingLasts(this.limitMs)), this.limitMs);
    });
    try {
      await Promise.race([Promise.all(this.opening.values()), limit]);
    } finally {
      clearTimeout(timer);
    }
  }
}

export function openingLasts(limitMs = OPENING_LIMIT_MS): HistoryError {
  const seconds = limitMs / 1000;
  return new HistoryError(
    'STORE_UNAVAILABLE',
    `another process has been opening the data directory for ${seconds} seconds: let it run, or end it`,
  );
}
