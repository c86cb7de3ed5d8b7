import type { ResolvedType } from '@antelope-history/abi';
import { ExactInteger, type JsonObject, type JsonValue } from '@antelope-history/json';

/** A known difference between the JSON of nodeos, which this service prints, and that of wharfkit for the same value. */
export interface Difference {
  name: string;
  same(ours: JsonValue, theirs: unknown): boolean;
}

/** By builtin type; any other difference fails, unless the test adds it. */
const DIFFERENCES: Record<string, Difference> = {
  bool: { name: 'bool: 1 and 0, not true and false', same: (ours, theirs) => theirs === (ours === 1) },
  int64: {
    name: 'int64: long negative numbers without quotes',
    same: (ours, theirs) => theirs === (ours instanceof ExactInteger ? ours.digits : String(ours)),
  },
  float32: {
    name: 'float32: 17 decimals, not 7',
    same: (ours, theirs) => sameFloat(ours, theirs, 1e-7),
  },
  float64: {
    name: 'float64: 17 decimals, not as many as it takes',
    same: (ours, theirs) => sameFloat(ours, theirs, 1e-17),
  },
  time_point: {
    name: 'time_point: cut to milliseconds, not rounded',
    same: (ours, theirs) => Date.parse(`${String(theirs)}Z`) - Date.parse(`${String(ours)}Z`) === 1,
  },
  public_key: {
    name: 'public_key: EOS and not PUB_K1_',
    same: (ours, theirs) => String(ours).startsWith('EOS') && String(theirs).startsWith('PUB_K1_'),
  },
};
const ABSENT_EXTENSION = 'binary extension: left out when absent, not null';

export const DIFFERENCE_NAMES = [...Object.values(DIFFERENCES).map(({ name }) => name), ABSENT_EXTENSION];

function sameFloat(ours: JsonValue, theirs: unknown, tolerance: number): boolean {
  const left = Number(String(ours).replace('inf', 'Infinity').replace('nan', 'NaN'));
  const right = Number(theirs);
  if (Number.isNaN(left)) return Number.isNaN(right);
  return left === right || Math.abs(left - right) <= tolerance * Math.max(1, Math.abs(left));
}

/** Occurrences of each known difference. */
export class DifferenceCounts {
  readonly counts: Record<string, number> = {};

  add(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }
}

/** Compares two decodings of the same bytes by their type; counts known differences, throws on others. */
export class Comparison {
  constructor(
    private readonly resolve: (typeName: string) => ResolvedType,
    private readonly differences: DifferenceCounts,
    private readonly further: Record<string, Difference> = {},
  ) {}

  compare(typeName: string, ours: JsonValue, theirs: unknown): void {
    const type = this.resolve(typeName);
    switch (type.kind) {
      case 'builtin':
        return this.compareBuiltin(type.name, ours, theirs);
      case 'array':
      case 'fixed-array':
        return this.compareAll(type.element, ours as JsonValue[], theirs as unknown[]);
      case 'optional':
        if (ours === null) return expect(theirs).toBeNull();
        return this.compare(type.element, ours, theirs);
      case 'variant': {
        const [ourType, ourValue] = ours as [string, JsonValue];
        const [theirType, theirValue] = theirs as [string, unknown];
        expect(ourType).toBe(theirType);
        return this.compare(ourType, ourValue, theirValue);
      }
      case 'struct':
        return this.compareFields(type.fields, ours as JsonObject, theirs as Record<string, unknown>);
      case 'extension':
        return this.compare(type.element, ours, theirs);
    }
  }

  private compareBuiltin(name: string, ours: JsonValue, theirs: unknown): void {
    if (JSON.stringify(ours) === JSON.stringify(theirs) && !(ours instanceof ExactInteger)) return;
    const difference = DIFFERENCES[name] ?? this.further[name];
    if (difference?.same(ours, theirs)) this.differences.add(difference.name);
    else expect({ [name]: ours }).toEqual({ [name]: theirs });
  }

  private compareAll(element: string, ours: JsonValue[], theirs: unknown[]): void {
    expect(ours.length).toBe(theirs.length);
    ours.forEach((value, index) => this.compare(element, value, theirs[index]));
  }

  private compareFields(
    fields: { name: string; type: string }[],
    ours: JsonObject,
    theirs: Record<string, unknown>,
  ): void {
    const present = fields.filter(({ name }) => {
      const absent = ours[name] === undefined && theirs[name] === null;
      if (absent) this.differences.add(ABSENT_EXTENSION);
      return !absent;
    });
    expect(Object.keys(ours)).toEqual(present.map(({ name }) => name));
    for (const { name, type } of present) this.compare(type, ours[name] ?? null, theirs[name]);
  }
}
