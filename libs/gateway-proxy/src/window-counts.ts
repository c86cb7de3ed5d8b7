/** Clients counted at once; a flood from more addresses is not stopped by a limit per address anyway. */
export const MOST_CLIENTS = 100_000;

/** How often each client came in the window of time that is now. */
export class WindowCounts {
  private windowStart = 0;
  private counts = new Map<string, number>();

  /** Counts a client once more and gives how often it came since `windowStart`. */
  count(client: string, windowStart: number): number {
    if (windowStart !== this.windowStart) {
      this.windowStart = windowStart;
      this.counts = new Map();
    }
    const counted = (this.counts.get(client) ?? 0) + 1;
    if (counted === 1 && this.counts.size >= MOST_CLIENTS) this.forgetFirst();
    this.counts.set(client, counted);
    return counted;
  }

  private forgetFirst(): void {
    for (const client of this.counts.keys()) {
      this.counts.delete(client);
      return;
    }
  }
}
