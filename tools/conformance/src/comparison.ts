import { stringifyJson, type JsonValue } from '@antelope-history/json';
import { findDifferences, pathText, type Difference } from './difference';
import { parseExactJson } from './exact-json';

/** Why answers differ. */
export interface NamedReason {
  name: string;
  /** What stands in docs/compatibility.md. */
  sentence: string;
}

/** A cause that makes a field of our answer differ from the recorded one, and the proof that it is the cause. */
export interface Reason<Context> extends NamedReason {
  /** Whether the reason makes exactly this difference: derived from the recorded value, or from the chain's data. */
  explains(difference: Difference, answers: Answers, context: Context): boolean;
}

export interface Answers {
  recorded: JsonValue;
  ours: JsonValue;
}

export interface Comparison {
  /** The reasons for the differences; none when the answers are equal. */
  reasons: Set<string>;
  /** What no reason explains, as text. */
  unexplained: string[];
}

/** Compares two answers as text and looks for the reason of each difference; the first that explains it counts. */
export function compareAnswers<Context>(
  recordedText: string,
  oursText: string,
  reasons: readonly Reason<Context>[],
  context: Context,
): Comparison {
  const comparison: Comparison = { reasons: new Set(), unexplained: [] };
  if (recordedText === oursText) return comparison;
  const answers = { recorded: parseExactJson(recordedText), ours: parseExactJson(oursText) };
  for (const difference of findDifferences(answers.recorded, answers.ours)) {
    const reason = reasons.find((candidate) => candidate.explains(difference, answers, context));
    if (reason) comparison.reasons.add(reason.name);
    else comparison.unexplained.push(describe(difference));
  }
  return comparison;
}

export const EQUAL: Comparison = { reasons: new Set(), unexplained: [] };

/** A whole answer that differs by one reason. */
export function explainedBy({ name }: NamedReason): Comparison {
  return { reasons: new Set([name]), unexplained: [] };
}

export function unexplained(difference: string): Comparison {
  return { reasons: new Set(), unexplained: [difference] };
}

const SHOWN_CHARACTERS = 160;

function describe({ path, recorded, ours }: Difference): string {
  const shown = (value: JsonValue | undefined): string =>
    value === undefined ? 'nothing' : stringifyJson(value).slice(0, SHOWN_CHARACTERS);
  return `${pathText(path)}: recorded ${shown(recorded)}, ours ${shown(ours)}`;
}
