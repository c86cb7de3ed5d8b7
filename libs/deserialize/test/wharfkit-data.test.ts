import { compileAbi, createTypeResolver, parseAbi, type AbiDecoder, type ResolvedType } from '@antelope-history/abi';
import { openSample } from '@antelope-history/test-support/recordings';
import { HistoryError } from '@antelope-history/schemas';
import { ABI, Serializer } from '@wharfkit/antelope';
import { decodeActionRecord } from '@antelope-history/records';
import { AbiHistory } from './abi-history';
import { recordedBlocks } from './recorded-blocks';
import { Comparison, DIFFERENCE_NAMES, DifferenceCounts } from './wharfkit-comparison';

const EMPTY_STRUCT = 'empty struct: hex, not {}';
const BAD_UTF8 = 'string: bad UTF-8 pruned, not refused';
const NEITHER = 'undecodable to both';
const NO_ABI = 'no ABI';
const NO_ACTION = 'no such action in the ABI';

/** A contract's ABI in both decoders; undefined for a decoder that refuses it. */
interface BothDecoders {
  ours: { decoder: AbiDecoder; resolve: (type: string) => ResolvedType; actions: Types; results: Types } | undefined;
  theirs: ABI | undefined;
}

type Types = ReadonlyMap<string, string>;

/** Decodes a recording's action data and return values with both decoders, and counts the outcomes. */
class DataComparison {
  readonly outcomes: Record<string, number> = {};
  readonly differences = new DifferenceCounts();
  private readonly decoders = new Map<string, BothDecoders>();

  compare(abi: Buffer, kind: 'actions' | 'results', action: string, data: Buffer, traces: number): void {
    const { ours, theirs } = this.decodersOf(abi);
    const type = ours?.[kind].get(action);
    if (!ours) return this.count(theirs && abi.length > 0 ? 'an ABI that the node refuses' : NO_ABI, traces);
    if (type === undefined) return this.count(NO_ACTION, traces);
    const left = attempt(() => ours.decoder.decode(type, data));
    const right = attempt(() => Serializer.objectify(Serializer.decode({ data, type, abi: theirs })) as unknown);
    if ('value' in left && 'value' in right) {
      new Comparison(ours.resolve, this.differences).compare(type, left.value, right.value);
      return this.count('same', traces);
    }
    this.count(nameFailure(left, right), traces);
  }

  private count(outcome: string, traces: number): void {
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + traces;
  }

  private decodersOf(abi: Buffer): BothDecoders {
    const key = abi.toString('latin1');
    let decoders = this.decoders.get(key);
    if (!decoders) this.decoders.set(key, (decoders = createDecoders(abi)));
    return decoders;
  }
}

function createDecoders(abi: Buffer): BothDecoders {
  const ours = attempt(() => {
    const definition = parseAbi(abi);
    return {
      decoder: compileAbi(definition),
      resolve: createTypeResolver(definition),
      actions: new Map(definition.actions.map(({ name, type }) => [name, type])),
      results: new Map(definition.action_results.map(({ name, result_type }) => [name, result_type])),
    };
  });
  const theirs = attempt(() => Serializer.decode({ data: abi, type: ABI }));
  return {
    ours: 'value' in ours && abi.length > 0 ? ours.value : undefined,
    theirs: 'value' in theirs ? theirs.value : undefined,
  };
}

type Attempt<T> = { value: T } | { error: unknown };

function attempt<T>(run: () => T): Attempt<T> {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

/** Names the failure of one decoder or both. An unknown reason fails the test, because its count is not expected. */
function nameFailure(ours: Attempt<unknown>, theirs: Attempt<unknown>): string {
  if ('error' in ours && !(ours.error instanceof HistoryError)) throw ours.error;
  if ('error' in ours && 'error' in theirs) return NEITHER;
  if ('error' in theirs) {
    return String(theirs.error).includes('encoding utf-8')
      ? 'string: bad UTF-8 pruned, not refused'
      : String(theirs.error);
  }
  const reason = 'error' in ours ? String(ours.error) : '';
  return reason.includes('a struct without a field') ? EMPTY_STRUCT : reason;
}

describe.each([
  {
    sample: 'leap-edge',
    traces: 3651,
    outcomes: { same: 3573, [EMPTY_STRUCT]: 61, [BAD_UTF8]: 3, [NEITHER]: 5, [NO_ABI]: 8, [NO_ACTION]: 1 },
    returned: { same: 237 },
    differences: [189, 186, 171, 167, 84, 212, 68],
  },
  {
    sample: 'eosio20-edge',
    traces: 2855,
    outcomes: { same: 2797, [EMPTY_STRUCT]: 41, [BAD_UTF8]: 3, [NEITHER]: 5, [NO_ABI]: 8, [NO_ACTION]: 1 },
    returned: {},
    differences: [118, 140, 113, 130, 52, 169, 39],
  },
] as const)('the data of $traces action traces of $sample, by the ABI in force at each', (expected) => {
  const { sample, traces, outcomes, returned: returnedOutcomes, differences } = expected;

  it('decodes as with wharfkit, except for the known differences in the expected number', () => {
    const history = new AbiHistory();
    const data = new DataComparison();
    const returned = new DataComparison();
    for (const { records } of recordedBlocks(openSample(sample))) {
      history.add(records);
      for (const { actions, firstSequence } of records.transactions) {
        for (const { account, name, sequence, bytes } of actions) {
          const abi = history.inForce(account, sequence);
          const record = decodeActionRecord(bytes, firstSequence);
          data.compare(abi, 'actions', name, record.data, record.traces.length);
          for (const { returnValue } of record.traces) {
            if (returnValue.length > 0) returned.compare(abi, 'results', name, returnValue, 1);
          }
        }
      }
    }
    expect(data.outcomes).toEqual(outcomes);
    expect(returned.outcomes).toEqual(returnedOutcomes);
    expect(returned.differences.counts).toEqual({});
    expect(data.differences.counts).toEqual(
      Object.fromEntries(DIFFERENCE_NAMES.map((name, index) => [name, differences[index]])),
    );
    expect(Object.values(data.outcomes).reduce((sum, count) => sum + count)).toBe(traces);
  });
});
