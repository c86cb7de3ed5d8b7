import type { JsonSize, ResponseBudget } from './response-budget';

/** Writes each part of a response as JSON text in one of three forms: decoded, undecoded or omitted. */
export interface PartRenderer<Part> {
  /** Upper bound of the bytes of the undecoded form. */
  undecodedBytes(part: Part): number;
  /** Bytes that decoding adds if another part with the same data is decoded already; otherwise `NO_SIZE`. */
  sharedSize(part: Part): JsonSize;
  /** Data decoded, if the ABI decodes them and the allowance suffices. */
  decoded(part: Part): string;
  /** Data in hex, as for data that no ABI decodes. */
  undecoded(part: Part): string;
  /** Without the fields whose size contracts or senders choose; says how many bytes of data are left out. */
  omitted(part: Part): string;
}

/** Bytes to keep free for the parts of a response that follow. */
export interface Reserve {
  undecodedBytes: number;
  omittedBytes: number;
}

export const NOTHING_FOLLOWS: Reserve = { undecodedBytes: 0, omittedBytes: 0 };

/** Upper bound of the bytes of an omitted trace or action. */
const OMITTED_BYTES = 1024;

/** The bytes that parts need which are not printed yet. */
export function reserveFor<Part>(parts: readonly Part[], renderer: PartRenderer<Part>): Reserve {
  let undecodedBytes = 0;
  for (const part of parts) undecodedBytes += renderer.undecodedBytes(part);
  return { undecodedBytes, omittedBytes: parts.length * OMITTED_BYTES };
}

/**
 * Prints parts in order, each in the richest form that leaves room for those after it: decoded while the undecoded forms
 * of all following parts still fit (or half of the response is free), undecoded while their omitted forms fit. Yields
 * between parts.
 */
export function* printParts<Part>(
  parts: readonly Part[],
  renderer: PartRenderer<Part>,
  budget: ResponseBudget,
  after: Reserve = NOTHING_FOLLOWS,
): Generator<void, string[]> {
  const printed: string[] = [];
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

function printRichest<Part>(
  part: Part,
  undecodedBytes: number,
  renderer: PartRenderer<Part>,
  budget: ResponseBudget,
  reserve: Reserve,
): string {
  const forOmitted = Math.min(reserve.omittedBytes, budget.half);
  // A part that does not fit undecoded is not written at all: its console may have many megabytes.
  if (!budget.hasRoom(undecodedBytes, forOmitted)) return budget.takeAnyway(renderer.omitted(part));
  const kept = Math.max(forOmitted, Math.min(reserve.undecodedBytes, budget.half));
  const shared = renderer.sharedSize(part);
  // Without the lower bound each of many notifications would write the same megabytes only to find that they do not fit.
  if (budget.hasRoom(shared.atLeast, kept)) {
    const maxBytes = undecodedBytes + shared.atMost - budget.decoding.spent;
    const decoded = renderer.decoded(part);
    const taken = budget.takePart(decoded, maxBytes + budget.decoding.spent, kept);
    if (taken !== undefined) return taken;
  }
  return (
    budget.takePart(renderer.undecoded(part), undecodedBytes, forOmitted) ?? budget.takeAnyway(renderer.omitted(part))
  );
}

/** Takes the text of a list of at most `bytes` bytes if the omitted forms of the following parts still fit; otherwise `[]`. */
export function takeOrEmpty(budget: ResponseBudget, list: string, bytes: number, after: Reserve): string {
  return budget.takePart(list, bytes, Math.min(after.omittedBytes, budget.half)) ?? '[]';
}
