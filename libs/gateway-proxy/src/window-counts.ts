/** Clients counted at once; a flood from more addresses is not stopped by a limit per address anyway. */
export const MOST_CLIENTS = 100_000;

/** What was counted of each client in the window of time that is now. */
export class WindowCounts {
  private windowStart = 0;
  private counts = new Map<string, number>();

  /** What is counted of a client since `windowStart`. */
  of(client: string, windowStart: number): number {
    this.enter(windowStart);
    return this.counts.get(client) ?? 0;
  }

  /** Adds to what is counted of a client since `windowStart`, and gives the sum. */
  count(client: string, windowStart: number, amount = 1): number {
    const counted = this.of(client, windowStart) + amount;
    if (!this.counts.has(client) && this.counts.size >= MOST_CLIENTS) this.forgetFirst();
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
