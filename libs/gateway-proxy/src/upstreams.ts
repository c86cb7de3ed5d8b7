/** An upstream that failed is retried after RETRY_AFTER_MS. */
const RETRY_AFTER_MS = 5_000;

/** Interchangeable servers, chosen round robin; an upstream that failed recently is chosen last. */
export class Upstreams {
  private turn = 0;
  private readonly unavailableUntil = new Map<string, number>();

  /** `now`: milliseconds of a steady clock. */
  constructor(
    readonly urls: readonly string[],
    private readonly now: () => number,
  ) {}

  /** The URL whose turn it is. */
  next(): string {
    return this.orderFrom(this.turn++ % this.urls.length)[0] as string;
  }

  /** All URLs in the order in which to try them, beginning with `url`. */
  startingWith(url: string): string[] {
    return [url, ...this.orderFrom(this.urls.indexOf(url)).filter((other) => other !== url)];
  }

  setUnavailable(url: string): void {
    this.unavailableUntil.set(url, this.now() + RETRY_AFTER_MS);
  }

  setAvailable(url: string): void {
    this.unavailableUntil.delete(url);
  }

  /** Unavailable upstreams come last: they are tried only when no other is left. */
  private orderFrom(first: number): string[] {
    const rotated = [...this.urls.slice(first), ...this.urls.slice(0, first)];
    const isUnavailable = (url: string): boolean => (this.unavailableUntil.get(url) ?? 0) > this.now();
    return [...rotated.filter((url) => !isUnavailable(url)), ...rotated.filter(isUnavailable)];
  }
}
