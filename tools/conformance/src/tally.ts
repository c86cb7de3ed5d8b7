import { EQUAL, unexplained, type Comparison } from './comparison';

/** What came out of comparing the answers of one endpoint on one recording. */
export interface Outcome {
  endpoint: string;
  recording: string;
  compared: number;
  equal: number;
  /** How many answers differ by a reason; an answer may differ by several. */
  different: Record<string, number>;
  /** The differences that no reason explains, the first twenty of them. */
  unexplained: string[];
}

const MAX_UNEXPLAINED = 20;

/** Counts comparisons. */
export class Tally {
  private compared = 0;
  private equal = 0;
  private readonly different = new Map<string, number>();
  private readonly unexplained: string[] = [];

  constructor(
    private readonly endpoint: string,
    private readonly recording: string,
  ) {}

  /** `label` says which answer it was. */
  add(label: string, { reasons, unexplained }: Comparison): void {
    this.compared++;
    if (unexplained.length === 0 && reasons.size === 0) this.equal++;
    for (const reason of reasons) this.different.set(reason, (this.different.get(reason) ?? 0) + 1);
    for (const difference of unexplained) this.report(`${label}: ${difference}`);
  }

  /** Counts a check whose expected text is known to the last character. */
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
