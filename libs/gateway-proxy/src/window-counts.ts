/** The most clients counted at once; a limit per address cannot stop a flood from more addresses anyway. */
export const MAX_CLIENTS = 100_000;

/** Counts per client in the current time window. */
export class WindowCounts {
  private windowStart = 0;
  private counts = new Map<string, number>();

  /** The client's count since `windowStart`. */
  of(client: string, windowStart: number): number {
    this.enter(windowStart);
    return this.counts.get(client) ?? 0;
  }

  /** Adds to the client's count since `windowStart`, and returns the sum. */
  count(client: string, windowStart: number, amount = 1): number {
    const counted = this.of(client, windowStart) + amount;
    if (!this.counts.has(client) && this.counts.size >= MAX_CLIENTS) this.forgetFirst();
    this.counts.set(client, counted);
    return counted;
  }

  private enter(windowStart: number): void {
    if (windowStart === this.windowStart) return;
    this.windowStart = windowStart;
    this.counts = new Map();
  }

  private forgetFirst(): void {
    for (const client of this.counts.keys()) {
      this.counts.delete(client);
      return;
    }
  }
}
