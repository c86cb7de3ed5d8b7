import type { SampleName } from '@antelope-history/recordings';
import { ABI, Serializer } from '@wharfkit/antelope';
import { compileAbi, createTypeResolver, ExactInteger, parseAbi, type JsonObject, type JsonValue } from '../src/index';
import { lastAbis, recordedActions } from './recorded-actions';

interface Difference {
  name: string;
  /** Whether wharfkit's form is the same value as ours. */
  same(ours: JsonValue, theirs: unknown): boolean;
}

const bool: Difference = {
  name: 'bool: 1 and 0, not true and false',
  same: (ours, theirs) => theirs === (ours === 1),
};
const int64: Difference = {
  name: 'int64: long negative numbers without quotes',
  same: (ours, theirs) => theirs === (ours instanceof ExactInteger ? ours.digits : String(ours)),
};
const float32: Difference = {
  name: 'float32: 17 decimals, not 7',
  same: (ours, theirs) => sameFloat(ours, theirs, 1e-7),
};
const float64: Difference = {
  name: 'float64: 17 decimals, not as many as it takes',
  same: (ours, theirs) => sameFloat(ours, theirs, 1e-17),
};
const timePoint: Difference = {
  name: 'time_point: cut to milliseconds, not rounded',
  same: (ours, theirs) => Date.parse(`${String(theirs)}Z`) - Date.parse(`${String(ours)}Z`) === 1,
};
const publicKey: Difference = {
  name: 'public_key: EOS and not PUB_K1_',
  same: (ours, theirs) => String(ours).startsWith('EOS') && String(theirs).startsWith('PUB_K1_'),
};
const absentExtension = 'binary extension: left out when absent, not null';

/** By builtin type, in what the node's JSON and wharfkit's may differ; any other difference fails the test. */
const DIFFERENCES = new Map(
  Object.entries({ bool, int64, float32, float64, time_point: timePoint, public_key: publicKey }),
);

function sameFloat(ours: JsonValue, theirs: unknown, tolerance: number): boolean {
  const left = Number(String(ours).replace('inf', 'Infinity').replace('nan', 'NaN'));
  const right = Number(theirs);
  if (Number.isNaN(left)) return Number.isNaN(right);
  return left === right || Math.abs(left - right) <= tolerance * Math.max(1, Math.abs(left));
}

/** Walks two decodings of the same bytes along their type; counts the differences it knows, throws on others. */
class Comparison {
  readonly counts: Record<string, number> = {};

  constructor(private readonly resolve: ReturnType<typeof createTypeResolver>) {}

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
    const difference = DIFFERENCES.get(name);
    if (difference === undefined || !difference.same(ours, theirs))
      expect({ [name]: ours }).toEqual({ [name]: theirs });
    else this.count(difference.name);
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
      if (absent) this.count(absentExtension);
      return !absent;
    });
    expect(Object.keys(ours)).toEqual(present.map(({ name }) => name));
    for (const { name, type } of present) this.compare(type, ours[name] ?? null, theirs[name]);
  }

  private count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }
}

/** Compares all recorded actions that decode; what differed how often, and how many wharfkit cannot read. */
function compareAll(sample: SampleName): { compared: number; unreadable: number; counts: Record<string, number> } {
  const counts: Record<string, number> = {};
  let compared = 0;
  let unreadable = 0;
  const actions = recordedActions(sample).filter(({ json }) => json !== undefined);
  for (const [contract, bytes] of lastAbis(sample)) {
    const definition = parseAbiOrNone(bytes);
    if (definition === undefined) continue;
    const decoder = compileAbi(definition);
    const comparison = new Comparison(createTypeResolver(definition));
    const abi = Serializer.decode({ data: bytes, type: ABI });
    for (const { name, bytes: data } of actions.filter(({ account }) => account === contract)) {
      const type = definition.actions.find((action) => action.name === name)?.type ?? '';
      const theirs = readByWharfkit(abi, type, data);
      if (theirs === undefined) unreadable++;
      else {
        comparison.compare(type, decoder.decode(type, data), theirs);
        compared++;
      }
    }
    for (const [name, count] of Object.entries(comparison.counts)) counts[name] = (counts[name] ?? 0) + count;
  }
  return { compared, unreadable, counts };
}

function parseAbiOrNone(bytes: Buffer): ReturnType<typeof parseAbi> | undefined {
  try {
    return parseAbi(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined for strings that are not UTF-8, on which it throws. */
function readByWharfkit(abi: ABI, type: string, data: Buffer): unknown {
  try {
    return Serializer.objectify(Serializer.decode({ data, abi, type }));
  } catch (error) {
    if (String(error).includes('encoding utf-8')) return undefined;
    throw error;
  }
}

describe.each([
  { sample: 'leap-edge', compared: 1224, unreadable: 1, differ: [154, 150, 141, 139, 67, 197, 63] },
  { sample: 'eosio20-edge', compared: 1007, unreadable: 1, differ: [118, 140, 113, 130, 52, 169, 45] },
] as const)('wharfkit on the actions of $sample', ({ sample, compared, unreadable, differ }) => {
  it('decodes the same, but for the known differences, each as often as counted', () => {
    const names = [bool, int64, float32, float64, timePoint, publicKey].map(({ name }) => name);
    const counts = Object.fromEntries([...names, absentExtension].map((name, index) => [name, differ[index]]));
    expect(compareAll(sample)).toEqual({ compared, unreadable, counts });
  });
});
