import { type JsonValue, stringifyJson } from '@antelope-history/json';
import type { SampleName } from '@antelope-history/test-support/recordings';
import { type AbiDecoder, createAbiDecoder } from '../src/index';
import { canonicalJson, lastAbis, type RecordedAction, recordedActions, recordedHistoryActions, recordedTraces } from './recorded-actions';

const textOf = (value: JsonValue | undefined): string | undefined =>
  value === undefined ? undefined : canonicalJson(stringifyJson(value));

function lastDecoders(sample: SampleName): Map<string, AbiDecoder | undefined> {
  return new Map(Array.from(lastAbis(sample), ([contract, abi]) => [contract, createAbiDecoder(abi)]));
}

/** Decodes each and compares the JSON text, key order and all digits included. */
function expectSame(actions: RecordedAction[], decoders: Map<string, AbiDecoder | undefined>): void {
  for (const { account, name, bytes, json } of actions) {
    const decoded = textOf(decoders.get(account)?.decodeAction(name, bytes));
    if (decoded !== json) expect({ account, name, data: decoded }).toEqual({ account, name, data: json });
  }
}

describe.each([
  { sample: 'leap-edge', decodable: 1225, undecodable: 62 },
  { sample: 'eosio20-edge', decodable: 1008, undecodable: 52 },
] as const)('what the recorded node of $sample answered', ({ sample, decodable, undecodable }) => {
  const decoders = lastDecoders(sample);
  const actions = recordedActions(sample);
  const decoded = actions.filter(({ json }) => json !== undefined);
  const hex = actions.filter(({ json }) => json === undefined);

  it('is what its actions decode to', () => {
    expect(decoded.length).toBe(decodable);
    expectSame(decoded, decoders);
  });

  it('is hex where nothing decodes: no ABI, no such action, no field, bytes that do not fit', () => {
    expect(hex.length).toBe(undecodable);
    expectSame(hex, decoders);
  });
});

describe('what else the recorded nodes answered', () => {
  it('history: inline actions and notifications too', () => {
    const actions = recordedHistoryActions('eosio20-edge');
    expect(actions.length).toBe(6866);
    expectSame(actions, lastDecoders('eosio20-edge'));
  });

  it('traces: parameters and return values', () => {
    const { params, returns } = recordedTraces('leap-edge');
    const decoders = lastDecoders('leap-edge');
    expect([params.length, returns.length]).toEqual([3067, 237]);
    expectSame(params, decoders);
    for (const { account, name, bytes, json } of returns) {
      expect(textOf(decoders.get(account)?.decodeActionResult(name, bytes))).toBe(json);
    }
  });
});
