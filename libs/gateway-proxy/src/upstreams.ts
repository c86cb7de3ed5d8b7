/** An upstream that failed is retried after RETRY_AFTER_MS. */
const RETRY_AFTER_MS = 5_000;

/** Interchangeable servers, chosen round robin; an upstream that failed recently, or that a check found a fault in, is chosen last. */
export class Upstreams {
  private chosen: string | undefined;
  private readonly unavailableUntil = new Map<string, number>();
  private readonly faulty = new Set<string>();

  /** `now`: milliseconds of a steady clock. */
  constructor(
    readonly urls: readonly string[],
    private readonly now: () => number,
  ) {}

  /** The URL whose turn it is: that after the one chosen last, so that those that can be used share the turns of the others. */
  next(): string {
    const url = this.orderFrom(this.urls.indexOf(this.chosen ?? '') + 1)[0] as string;
    this.chosen = url;
    return url;
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

  isFaulty(url: string): boolean {
    return this.faulty.has(url);
  }

  /** Until `setWell`, whatever connections to the upstream do: one that hangs accepts them. */
  setFaulty(url: string): void {
    this.faulty.add(url);
  }

  /** One that was not faulty stays unavailable: an upstream that broke requests off may be well for a check. */
  setWell(url: string): void {
    if (this.faulty.delete(url)) this.setAvailable(url);
  }

  /** Unavailable and faulty upstreams come last: they are tried only when no other is left. */
  private orderFrom(first: number): string[] {
    const rotated = [...this.urls.slice(first), ...this.urls.slice(0, first)];
    return [...rotated.filter((url) => !this.isLast(url)), ...rotated.filter((url) => this.isLast(url))];
  }

  private isLast(url: string): boolean {
    return this.faulty.has(url) || (this.unavailableUntil.get(url) ?? -Infinity) > this.now();
  }
}
