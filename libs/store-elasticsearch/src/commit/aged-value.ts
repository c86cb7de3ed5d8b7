/** A changing value as it was at least `ageMs` ago. */
export class AgedValue {
  /** Each value and when it was noted first, ascending by time. The first is the aged one, unless none is old enough. */
  private readonly seen: { value: number; at: number }[] = [];

  constructor(private readonly ageMs: number) {}

  /** Notes the present value; returns the newest one that is at least `ageMs` old, undefined if there is none. */
  note(value: number): number | undefined {
    const now = performance.now();
    if (this.seen.at(-1)?.value !== value) this.seen.push({ value, at: now });
    const isAged = (entry: { at: number } | undefined): boolean => entry !== undefined && now - entry.at >= this.ageMs;
    while (isAged(this.seen[1])) this.seen.shift();
    return isAged(this.seen[0]) ? this.seen[0]?.value : undefined;
  }
}
