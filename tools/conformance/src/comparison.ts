import { stringifyJson, type JsonValue } from '@antelope-history/json';
import { findDifferences, pathText, type Difference } from './difference';
import { parseExactJson } from './exact-json';

/** A documented reason why responses differ. */
export interface NamedReason {
  name: string;
  /** The text in docs/compatibility.md. */
  sentence: string;
}

/** A reason why a field of our response differs from the recorded one, with a proof. */
export interface Reason<Context> extends NamedReason {
  /** The proof: derives our value from the recorded value or from the chain's data. */
  explains(difference: Difference, responses: Responses, context: Context): boolean;
}

export interface Responses {
  recorded: JsonValue;
  ours: JsonValue;
}

export interface Comparison {
  /** The reasons for the differences; empty when the responses are equal. */
  reasons: Set<string>;
  /** Descriptions of the differences that no reason explains. */
  unexplained: string[];
}

/** Compares two responses as text. Each difference gets the first reason that explains it. */
export function compareResponses<Context>(
  recordedText: string,
  oursText: string,
  reasons: readonly Reason<Context>[],
  context: Context,
): Comparison {
  const comparison: Comparison = { reasons: new Set(), unexplained: [] };
  if (recordedText === oursText) return comparison;
  const responses = { recorded: parseExactJson(recordedText), ours: parseExactJson(oursText) };
  for (const difference of findDifferences(responses.recorded, responses.ours)) {
    const reason = reasons.find((candidate) => candidate.explains(difference, responses, context));
    if (reason) comparison.reasons.add(reason.name);
    else comparison.unexplained.push(describe(difference));
  }
  return comparison;
}

export const EQUAL: Comparison = { reasons: new Set(), unexplained: [] };

/** The comparison of two responses whose whole difference has one reason. */
export function explainedBy({ name }: NamedReason): Comparison {
  return { reasons: new Set([name]), unexplained: [] };
}

/** The comparison of a response that was compared in parts. */
export function merged(parts: readonly Comparison[]): Comparison {
  return {
    reasons: new Set(parts.flatMap(({ reasons }) => [...reasons])),
    unexplained: parts.flatMap((part) => part.unexplained),
  };
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
