import { type JsonValue, stringifyJson } from '@antelope-history/json';
import type { SampleName } from '@antelope-history/test-support/recordings';
import { type AbiDecoder, createAbiDecoder } from '../src/index';
import {
  canonicalJson,
  lastAbis,
  type RecordedAction,
  recordedActions,
  recordedHistoryActions,
  recordedTraces,
} from './recorded-actions';

const textOf = (value: JsonValue | undefined): string | undefined =>
  value === undefined ? undefined : canonicalJson(stringifyJson(value));

function lastDecoders(sample: SampleName): Map<string, AbiDecoder | undefined> {
  return new Map(Array.from(lastAbis(sample), ([contract, abi]) => [contract, createAbiDecoder(abi)]));
}

/** Decodes each action and compares the JSON text, with key order and all digits. */
function expectSame(actions: RecordedAction[], decoders: Map<string, AbiDecoder | undefined>): void {
  for (const { account, name, bytes, json } of actions) {
    const decoded = textOf(decoders.get(account)?.decodeAction(name, bytes));
    if (decoded !== json) expect({ account, name, data: decoded }).toEqual({ account, name, data: json });
  }
}

describe.each([
  { sample: 'leap-edge', decodable: 1225, undecodable: 62 },
  { sample: 'eosio20-edge', decodable: 1008, undecodable: 52 },
] as const)('the recorded blocks of $sample', ({ sample, decodable, undecodable }) => {
  const decoders = lastDecoders(sample);
  const actions = recordedActions(sample);
  const decoded = actions.filter(({ json }) => json !== undefined);
  const hex = actions.filter(({ json }) => json === undefined);

  it('have the decoded data of their actions', () => {
    expect(decoded.length).toBe(decodable);
    expectSame(decoded, decoders);
  });

  it('have hex where decoding fails: no ABI, an unknown action, no field, data of another type', () => {
    expect(hex.length).toBe(undecodable);
    expectSame(hex, decoders);
  });
});

describe('other recorded responses', () => {
  it('of the history plugin have the decoded data, also of inline actions and notifications', () => {
    const actions = recordedHistoryActions('eosio20-edge');
    expect(actions.length).toBe(6866);
    expectSame(actions, lastDecoders('eosio20-edge'));
  });

  it('of the trace API have the decoded parameters and return values', () => {
    const { params, returns } = recordedTraces('leap-edge');
    const decoders = lastDecoders('leap-edge');
    expect([params.length, returns.length]).toEqual([3067, 237]);
    expectSame(params, decoders);
    for (const { account, name, bytes, json } of returns) {
      expect(textOf(decoders.get(account)?.decodeActionResult(name, bytes))).toBe(json);
    }
  });
});
