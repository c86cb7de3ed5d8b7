import type { ResponseBudget } from './response-budget';

/** How the parts of a response are rendered, each in one of three forms, the richest first. */
export interface PartRenderer<Part, T> {
  /** The most bytes that the undecoded form takes. */
  undecodedBytes(part: Part): number;
  /** The most bytes that decoding adds and that were spent already: parts may share what is decoded once. */
  sharedBytes(part: Part): number;
  /** With data decoded, where the ABI decodes it and the allowance suffices. */
  decoded(part: Part): T;
  /** With data in hex, as what can't be decoded is shown. */
  undecoded(part: Part): T;
  /** Without what contracts and senders choose the size of; it says how much data is left out. */
  omitted(part: Part): T;
}

/** What has to stay for the parts of a response that follow. */
export interface Reserve {
  undecodedBytes: number;
  omittedBytes: number;
}

export const NOTHING_FOLLOWS: Reserve = { undecodedBytes: 0, omittedBytes: 0 };

/** The omitted form of a trace or action takes at most so much. */
const OMITTED_BYTES = 1024;

/** What parts need that are yet to be printed. */
export function reserveFor<Part>(parts: readonly Part[], renderer: PartRenderer<Part, unknown>): Reserve {
  let undecodedBytes = 0;
  for (const part of parts) undecodedBytes += renderer.undecodedBytes(part);
  return { undecodedBytes, omittedBytes: parts.length * OMITTED_BYTES };
}

/**
 * Prints parts in order, each in its richest form that leaves the ones after it theirs: decoded while the undecoded
 * forms of all that follow still fit (or half of the response is left), undecoded while their omitted ones do. Pauses
 * between parts.
 */
export function* printParts<Part, T>(
  parts: readonly Part[],
  renderer: PartRenderer<Part, T>,
  budget: ResponseBudget,
  after: Reserve = NOTHING_FOLLOWS,
): Generator<void, T[]> {
  const printed: T[] = [];
  const reserve = reserveFor(parts, renderer);
  reserve.undecodedBytes += after.undecodedBytes;
  reserve.omittedBytes += after.omittedBytes;
  for (const part of parts) {
    const undecodedBytes = renderer.undecodedBytes(part);
    reserve.undecodedBytes -= undecodedBytes;
    reserve.omittedBytes -= OMITTED_BYTES;
    printed.push(printRichest(part, undecodedBytes, renderer, budget, reserve));
    if (budget.isPauseDue()) yield;
  }
  return printed;
}

function printRichest<Part, T>(
  part: Part,
  undecodedBytes: number,
  renderer: PartRenderer<Part, T>,
  budget: ResponseBudget,
  reserve: Reserve,
): T {
  const forOmitted = Math.min(reserve.omittedBytes, budget.half);
  // What can't be given undecoded is not even printed: a console may have many megabytes.
  if (!budget.hasRoom(undecodedBytes, forOmitted)) return budget.takeAnyway(renderer.omitted(part));
  const kept = Math.max(forOmitted, Math.min(reserve.undecodedBytes, budget.half));
  if (budget.hasRoom(0, kept)) {
    const mostBytes = undecodedBytes + renderer.sharedBytes(part) - budget.decoding.spent;
    const decoded = renderer.decoded(part);
    const taken = budget.takePart(decoded, mostBytes + budget.decoding.spent, kept);
    if (taken !== undefined) return taken;
  }
  return (
    budget.takePart(renderer.undecoded(part), undecodedBytes, forOmitted) ?? budget.takeAnyway(renderer.omitted(part))
  );
}

/** A list of `bytes` at most when it leaves the parts that follow their omitted forms, else an empty list. */
export function takeOrEmpty<T>(budget: ResponseBudget, list: T[], bytes: number, after: Reserve): T[] {
  return budget.takePart(list, bytes, Math.min(after.omittedBytes, budget.half)) ?? [];
}
