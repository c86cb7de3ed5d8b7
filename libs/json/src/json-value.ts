import { randomUUID } from 'node:crypto';

/**
 * A value of decoded data: ordinary JSON values, and two classes for values that JavaScript cannot represent.
 *
 * - `OrderedObject`: an object whose keys a plain object would reorder (integer-like keys come first) or lose (`__proto__`).
 *   nodeos prints fields in the order of the ABI.
 * - `ExactInteger`: an integer that nodeos prints as a JSON number with more digits than a double has.
 *
 * `stringifyJson` prints both exactly. `JSON.stringify` prints valid JSON with the same values, but may reorder an
 * OrderedObject and puts an ExactInteger in quotes.
 */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject | OrderedObject | ExactInteger;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** A JSON object that keeps its keys, whatever their names, in insertion order. */
export class OrderedObject {
  constructor(readonly entries: Map<string, JsonValue>) {}

  toJSON(): JsonValue {
    return pending === undefined ? Object.fromEntries(this.entries) : pending.hold([orderedText(this)]);
  }
}

/** Nested ordered objects are printed without placeholders of their own. */
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

/** A JSON number as its decimal digits. */
export class ExactInteger {
  constructor(readonly digits: string) {}

  toJSON(): string {
    return pending === undefined ? this.digits : pending.hold([this.digits]);
  }
}

/**
 * JSON text that is printed verbatim, in one or more pieces: a part of a response that was written as text. `T` is the type of
 * the value that the text represents.
 */
export class JsonFragment<T = unknown> {
  declare readonly standsFor?: T;

  constructor(readonly pieces: readonly (string | Buffer)[]) {}

  /** The fragment in the place of the value that it represents, for responses whose schema names the type of the value. */
  inPlace(): T {
    return this as unknown as T;
  }

  toJSON(): unknown {
    return pending === undefined ? JSON.parse(this.pieces.join('')) : pending.hold(this.pieces);
  }
}

/** The JSON text of any value that JSON.stringify accepts, with the classes above printed exactly. */
export function stringifyJson(value: unknown): string {
  const { text, fragments } = printWithFragments(value);
  return fragments.insertInto(text);
}

/**
 * The same text in UTF-8: one piece up to `ONE_PIECE_BYTES`; in a longer text the pieces of its fragments as they are, so that a
 * response of 32 MiB made of fragments never exists twice.
 */
export function printJson(value: unknown): Buffer[] {
  const { text, fragments } = printWithFragments(value);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const parts of fragments.partsOf(text)) {
    for (const part of parts) {
      const piece = typeof part === 'string' ? Buffer.from(part) : part;
      if (piece.length > 0) pieces.push(piece);
      bytes += piece.length;
    }
  }
  return pieces.length > 1 && bytes <= ONE_PIECE_BYTES ? [Buffer.concat(pieces, bytes)] : pieces;
}

/** A copy of this length takes less time than writing a piece more to a socket. */
const ONE_PIECE_BYTES = 64 * 1024;

/** Size of a string in JSON and UTF-8, with quotes and escapes, in bytes. */
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

type Piece = string | Buffer;

/**
 * JSON.stringify cannot print text verbatim (JSON.rawJSON needs Node 22), and walking ordinary responses in JavaScript
 * would slow down all of them for the sake of rare values. So each special value leaves a placeholder in the text of
 * JSON.stringify, which is replaced at the end. The placeholder's key is random and never printed, so that no chain data
 * can contain it.
 */
class PendingFragments {
  private readonly held: (readonly Piece[])[] = [];

  hold(pieces: readonly Piece[]): string {
    this.held.push(pieces);
    return `${placeholderKey()}:${this.held.length - 1}`;
  }

  insertInto(json: string): string {
    if (this.held.length === 0) return json;
    return json.replace(placeholders(), (_, index) => this.held[Number(index)]?.join('') ?? '');
  }

  /** The printed text split at its placeholders, with the fragments in between. */
  *partsOf(json: string): Generator<readonly Piece[]> {
    // Every second element is the captured index.
    const split = this.held.length === 0 ? [json] : json.split(placeholders());
    for (const [at, part] of split.entries()) yield at % 2 === 0 ? [part] : (this.held[Number(part)] ?? []);
  }
}

/** The fragments of the running `stringifyJson` call, which JSON.stringify cannot pass to toJSON. */
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

/** Whether a plain object keeps fields of these names in order: none is integer-like or `__proto__`. */
export function keepsOrderInPlainObject(names: string[]): boolean {
  return names.every((name) => name !== '__proto__' && !/^(0|[1-9][0-9]{0,9})$/.test(name));
}
