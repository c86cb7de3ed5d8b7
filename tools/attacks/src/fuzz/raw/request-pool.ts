import { createHash } from 'node:crypto';

/** At least so many of the newest requests are kept. */
const MAX_REQUESTS = 20_000;

/**
 * Requests that were sent and may reach an upstream once each. They are stored as hashes, because bodies would take more
 * memory than the attacked gateway. Old requests are dropped.
 */
export class RequestPool {
  private counts = new Map<string, number>();
  private older = new Map<string, number>();

  add(key: string): void {
    if (this.counts.size >= MAX_REQUESTS) {
      this.older = this.counts;
      this.counts = new Map();
    }
    const hash = hashOf(key);
    this.counts.set(hash, (this.counts.get(hash) ?? 0) + 1);
  }

  /** Removes one request with the key; returns false when there is none. */
  take(key: string): boolean {
    const hash = hashOf(key);
    return takeFrom(this.counts, hash) || takeFrom(this.older, hash);
  }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

function takeFrom(counts: Map<string, number>, hash: string): boolean {
  const count = counts.get(hash) ?? 0;
  if (count > 1) counts.set(hash, count - 1);
  else counts.delete(hash);
  return count > 0;
}
