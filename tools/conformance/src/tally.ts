import { EQUAL, unexplained, type Comparison } from './comparison';

/** The result of comparing the responses of one endpoint on one recording. */
export interface Outcome {
  endpoint: string;
  recording: string;
  compared: number;
  equal: number;
  /** The number of responses that differ, by reason; a response may differ for several reasons. */
  different: Record<string, number>;
  /** The first differences that no reason explains, at most MAX_UNEXPLAINED. */
  unexplained: string[];
}

const MAX_UNEXPLAINED = 20;

/** Counts the comparisons of one endpoint on one recording. */
export class Tally {
  private compared = 0;
  private equal = 0;
  private readonly different = new Map<string, number>();
  private readonly unexplained: string[] = [];

  constructor(
    private readonly endpoint: string,
    private readonly recording: string,
  ) {}

  /** `label` identifies the response. */
  add(label: string, { reasons, unexplained }: Comparison): void {
    this.compared++;
    if (unexplained.length === 0 && reasons.size === 0) this.equal++;
    for (const reason of reasons) this.different.set(reason, (this.different.get(reason) ?? 0) + 1);
    for (const difference of unexplained) this.report(`${label}: ${difference}`);
  }

  /** Adds a comparison of two texts that must be equal. */
  expectEqual(label: string, expected: string, ours: string): void {
    this.add(label, expected === ours ? EQUAL : unexplained(firstDifference(expected, ours)));
  }

  outcome(): Outcome {
    const { endpoint, recording, compared, equal, unexplained } = this;
    return { endpoint, recording, compared, equal, different: Object.fromEntries(this.different), unexplained };
  }

  private report(text: string): void {
    if (this.unexplained.length < MAX_UNEXPLAINED) this.unexplained.push(text);
  }
}

const CONTEXT_CHARACTERS = 60;

function firstDifference(expected: string, ours: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === ours[at]) at++;
  const shown = (text: string): string => text.slice(Math.max(0, at - CONTEXT_CHARACTERS), at + CONTEXT_CHARACTERS);
  return `expected …${shown(expected)}…, ours …${shown(ours)}…`;
}
