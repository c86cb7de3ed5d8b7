/** Who did not answer is asked again after so long. */
const AWAY_MS = 5_000;

/** Equal servers, of which any may answer: each in its turn, without those that did not answer lately. */
export class Upstreams {
  private turn = 0;
  private readonly awayUntil = new Map<string, number>();

  /** `now`: milliseconds since 1970. */
  constructor(
    readonly urls: readonly string[],
    private readonly now: () => number,
  ) {}

  /** The one whose turn it is. */
  next(): string {
    return this.inTurn()[0] as string;
  }

  /** All, in the order in which to try them: first the one named. */
  startingWith(url: string): string[] {
    return [url, ...this.inTurn().filter((other) => other !== url)];
  }

  setAway(url: string): void {
    this.awayUntil.set(url, this.now() + AWAY_MS);
  }

  setHere(url: string): void {
    this.awayUntil.delete(url);
  }

  /** Those that are away come last: they are asked only when no other is left. */
  private inTurn(): string[] {
    const first = this.turn++ % this.urls.length;
    const rotated = [...this.urls.slice(first), ...this.urls.slice(0, first)];
    const isAway = (url: string): boolean => (this.awayUntil.get(url) ?? 0) > this.now();
    return [...rotated.filter((url) => !isAway(url)), ...rotated.filter(isAway)];
  }
}
