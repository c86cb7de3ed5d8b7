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
    if (pending !== undefined) {
      const members = Array.from(this.entries, ([key, value]) => `${JSON.stringify(key)}:${stringifyJson(value)}`);
      return pending.hold(`{${members.join(',')}}`);
    }
    return Object.fromEntries(this.entries);
  }
}

/** A JSON number given by its decimal digits. */
export class ExactInteger {
  constructor(readonly digits: string) {}

  toJSON(): string {
    return pending === undefined ? this.digits : pending.hold(this.digits);
  }
}

/** JSON text of anything JSON.stringify takes, with the values above printed exactly. */
export function stringifyJson(value: unknown): string {
  const outer = pending;
  const inner = new PendingFragments();
  pending = inner;
  try {
    return inner.insertInto(JSON.stringify(value));
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
    return json.replace(new RegExp(`"${placeholderKey()}:(\\d+)"`, 'g'), (_, index) => this.texts[Number(index)] ?? '');
  }
}

/** The fragments of the `stringifyJson` call that runs now; JSON.stringify gives toJSON no other way to know. */
let pending: PendingFragments | undefined;

let randomKey: string | undefined;

function placeholderKey(): string {
  randomKey ??= randomUUID();
  return randomKey;
}

/** Whether a plain object keeps fields of these names in their order: none is an integer or `__proto__`. */
export function keepsOrderInPlainObject(names: string[]): boolean {
  return names.every((name) => name !== '__proto__' && !/^(0|[1-9][0-9]{0,9})$/.test(name));
}
