import { randomUUID } from 'node:crypto';

/**
 * What decoded data is made of: ordinary JSON values, and two classes for what JavaScript's own cannot hold.
 *
 * - `OrderedObject`: an object whose keys a plain object would put in another order (integer-like keys come first
 *   there) or lose (`__proto__`). The node prints fields in the ABI's order.
 * - `ExactInteger`: an integer that the node prints as a JSON number with more digits than a double has.
 *
 * `stringifyJson` prints both exactly. `JSON.stringify` still gives valid JSON with the same values, but may reorder
 * an OrderedObject and puts an ExactInteger in quotes.
 */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject | OrderedObject | ExactInteger;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** A JSON object that keeps its keys in the order they were first set, whatever they are called. */
export class OrderedObject {
  constructor(readonly entries: Map<string, JsonValue>) {}

  toJSON(): JsonValue {
    return pending === undefined ? Object.fromEntries(this.entries) : pending.hold(orderedText(this));
  }
}

/** Ordered objects inside ordered objects are printed without place holders of their own. */
function orderedText({ entries }: OrderedObject): string {
  let text = '{';
  for (const [key, value] of entries) {
    if (text.length > 1) text += ',';
    text += `${JSON.stringify(key)}:${value instanceof OrderedObject ? orderedText(value) : memberText(value)}`;
  }
  return `${text}}`;
}

function memberText(value: JsonValue): string {
  return typeof value === 'object' ? stringifyJson(value) : JSON.stringify(value);
}

/** A JSON number given by its decimal digits. */
export class ExactInteger {
  constructor(readonly digits: string) {}

  toJSON(): string {
    return pending === undefined ? this.digits : pending.hold(this.digits);
  }
}

/**
 * JSON text made beforehand, which is printed as it is: a part of a response that was printed alone to learn its size.
 * `T` is what the text stands for.
 */
export class JsonFragment<T = unknown> {
  declare readonly standsFor?: T;

  constructor(readonly text: string) {}

  toJSON(): unknown {
    return pending === undefined ? JSON.parse(this.text) : pending.hold(this.text);
  }
}

/** JSON text of anything JSON.stringify takes, with the values above printed exactly. */
export function stringifyJson(value: unknown): string {
  const { text, fragments } = printWithFragments(value);
  return fragments.insertInto(text);
}

/**
 * The same text in UTF-8, in pieces: a response of 32 MiB made of fragments never exists as one string. Pieces have
 * `PIECE_BYTES` or more, the last one may have less.
 */
export function printJson(value: unknown): Buffer[] {
  const { text, fragments } = printWithFragments(value);
  const pieces: Buffer[] = [];
  let open: string[] = [];
  let length = 0;
  for (const part of fragments.partsOf(text)) {
    open.push(part);
    length += part.length;
    if (length < PIECE_BYTES) continue;
    pieces.push(Buffer.from(open.join('')));
    open = [];
    length = 0;
  }
  if (length > 0) pieces.push(Buffer.from(open.join('')));
  return pieces;
}

const PIECE_BYTES = 64 * 1024;

/** The bytes that a text takes in JSON and UTF-8, with its quotes and escapes. */
export function jsonTextBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

function printWithFragments(value: unknown): { text: string; fragments: PendingFragments } {
  const outer = pending;
  const fragments = new PendingFragments();
  pending = fragments;
  try {
    return { text: JSON.stringify(value), fragments };
  } finally {
    pending = outer;
  }
}

/**
 * JSON.stringify cannot print a text of ours verbatim (JSON.rawJSON needs Node 22), and walking ordinary answers in
 * JavaScript instead would slow all of them down for the sake of the rare ones. So each special value leaves a place
 * holder in JSON.stringify's text, to be replaced at the end. Its key is random and never printed: no chain data can
 * contain it.
 */
class PendingFragments {
  private readonly texts: string[] = [];

  hold(text: string): string {
    this.texts.push(text);
    return `${placeholderKey()}:${this.texts.length - 1}`;
  }

  insertInto(json: string): string {
    if (this.texts.length === 0) return json;
    return json.replace(placeholders(), (_, index) => this.texts[Number(index)] ?? '');
  }

  /** The printed text cut at its place holders, with the fragments in their places. */
  partsOf(json: string): string[] {
    if (this.texts.length === 0) return [json];
    // Every second part is what the pattern captured.
    return json.split(placeholders()).map((part, at) => (at % 2 === 0 ? part : (this.texts[Number(part)] ?? '')));
  }
}

/** The fragments of the `stringifyJson` call that runs now; JSON.stringify gives toJSON no other way to know. */
let pending: PendingFragments | undefined;

let randomKey: string | undefined;

function placeholderKey(): string {
  randomKey ??= randomUUID();
  return randomKey;
}

let placeholderPattern: RegExp | undefined;

function placeholders(): RegExp {
  placeholderPattern ??= new RegExp(`"${placeholderKey()}:(\\d+)"`, 'g');
  return placeholderPattern;
}

/** Whether a plain object keeps fields of these names in their order: none is an integer or `__proto__`. */
export function keepsOrderInPlainObject(names: string[]): boolean {
  return names.every((name) => name !== '__proto__' && !/^(0|[1-9][0-9]{0,9})$/.test(name));
}
