import type { JsonWriter } from '@antelope-history/json';
import type { JsonSize, ResponseBudget } from './response-budget';

/** Writes each part of a response as JSON text in one of three forms: decoded, undecoded or omitted. */
export interface PartRenderer<Part> {
  /** Upper bound of the bytes of the undecoded form. */
  undecodedBytes(part: Part): number;
  /** Bytes that decoding adds if another part with the same data is decoded already; otherwise `NO_SIZE`. */
  sharedSize(part: Part): JsonSize;
  /** Data decoded, if the ABI decodes them and the allowance suffices. */
  decoded(part: Part, out: JsonWriter): void;
  /** Data in hex, as for data that no ABI decodes. */
  undecoded(part: Part, out: JsonWriter): void;
  /** Without the fields whose size contracts or senders choose; says how many bytes of data are left out. */
  omitted(part: Part, out: JsonWriter): void;
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

/** The bytes that two successions of parts need together. */
export function addReserves(one: Reserve, other: Reserve): Reserve {
  return {
    undecodedBytes: one.undecodedBytes + other.undecodedBytes,
    omittedBytes: one.omittedBytes + other.omittedBytes,
  };
}

/**
 * Prints parts in order, with commas between them, each in the richest form that leaves room for those after it: decoded while
 * the undecoded forms of all following parts still fit (or half of the response is free), undecoded while their omitted forms
 * fit. Yields between parts.
 */
export function* printParts<Part>(
  out: JsonWriter,
  parts: readonly Part[],
  renderer: PartRenderer<Part>,
  budget: ResponseBudget,
  after: Reserve = NOTHING_FOLLOWS,
): Generator<void, void> {
  const reserve = addReserves(reserveFor(parts, renderer), after);
  let isFirst = true;
  for (const part of parts) {
    const undecodedBytes = renderer.undecodedBytes(part);
    reserve.undecodedBytes -= undecodedBytes;
    reserve.omittedBytes -= OMITTED_BYTES;
    if (!isFirst) out.raw(',');
    isFirst = false;
    printRichest(out, part, undecodedBytes, renderer, budget, reserve);
    if (budget.isPauseDue()) yield;
  }
}

function printRichest<Part>(
  out: JsonWriter,
  part: Part,
  undecodedBytes: number,
  renderer: PartRenderer<Part>,
  budget: ResponseBudget,
  reserve: Reserve,
): void {
  const start = out.length;
  const forOmitted = Math.min(reserve.omittedBytes, budget.half);
  // A part that does not fit undecoded is not written at all: its console may have many megabytes.
  if (!budget.hasRoom(undecodedBytes, forOmitted)) return printOmitted(out, part, renderer, budget);
  const kept = Math.max(forOmitted, Math.min(reserve.undecodedBytes, budget.half));
  const shared = renderer.sharedSize(part);
  // Without the lower bound each of many notifications would write the same megabytes only to find that they do not fit.
  if (budget.hasRoom(shared.atLeast, kept)) {
    const maxBytes = undecodedBytes + shared.atMost - budget.decoding.spent;
    renderer.decoded(part, out);
    if (budget.takePart(out.length - start, maxBytes + budget.decoding.spent, kept)) return;
    out.truncate(start);
  }
  renderer.undecoded(part, out);
  if (budget.takePart(out.length - start, undecodedBytes, forOmitted)) return;
  out.truncate(start);
  printOmitted(out, part, renderer, budget);
}

function printOmitted<Part>(out: JsonWriter, part: Part, renderer: PartRenderer<Part>, budget: ResponseBudget): void {
  const start = out.length;
  renderer.omitted(part, out);
  budget.takeAnyway(out.length - start);
}

/** Takes the text of a list of at most `bytes` bytes if the omitted forms of the following parts still fit; otherwise `[]`. */
export function takeOrEmpty(budget: ResponseBudget, list: string, bytes: number, after: Reserve): string {
  return budget.takePart(list.length, bytes, Math.min(after.omittedBytes, budget.half)) ? list : '[]';
}
