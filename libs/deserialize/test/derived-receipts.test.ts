import { ACTION_FLAGS, type ActionRecord, type ActionTrace, decodeActionRecord } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { createShipProtocol } from '@antelope-history/ship';
import { openSample } from '@antelope-history/test-support/recordings';
import fc from 'fast-check';
import { deserializeBlock } from '../src/index';
import { decode, encode, FIRST_SEQUENCE, hashedFields, name, record } from './encoded-action';

/** 48 bits, with those beside the limit. */
const sequence = fc.oneof(fc.nat({ max: 2 ** 31 - 1 }), fc.constantFrom(2 ** 32 - 1, 2 ** 32, 2 ** 47, 2 ** 48 - 100));

/** An action with the receipts that a node makes: authorized by up to three accounts, some of them with several permissions. */
const executed: fc.Arbitrary<ActionRecord> = fc
  .record({
    action: record,
    actors: fc.array(name, { minLength: 1, maxLength: 3 }),
    picks: fc.array(fc.nat({ max: 2 }), { maxLength: 6 }),
    received: fc.array(sequence, { minLength: 4, maxLength: 4 }),
    first: fc.array(sequence, { minLength: 3, maxLength: 3 }),
  })
  .map(({ action, actors, picks, received, first }) => {
    const authorization = picks.map((pick) => ({ actor: actors[pick % actors.length] ?? '', permission: 'active' }));
    const accounts = [...new Set(authorization.map(({ actor }) => actor))].sort();
    const [own] = action.traces as [ActionTrace];
    const traces = action.traces.map((trace, index): ActionTrace => ({
      ...trace,
      ...(index === 0
        ? { receiver: action.account }
        : { creatorOrdinal: own.ordinal, closestUnnotifiedAncestorOrdinal: own.ordinal }),
      receipt: {
        ...own.receipt,
        globalSequence: own.receipt.globalSequence + index,
        recvSequence: BigInt(received[index] ?? 0),
        authSequence: accounts.map((account, at) => ({ account, sequence: BigInt((first[at] ?? 0) + index) })),
      },
    }));
    return { ...action, authorization, traces };
  });

/** One field of one trace that does not follow from the others. */
const change = fc.constantFrom<(trace: ActionTrace) => ActionTrace>(
  (trace) => ({ ...trace, receiver: trace.receiver === 'other' ? 'another' : 'other' }),
  (trace) => ({ ...trace, creatorOrdinal: trace.creatorOrdinal + 1 }),
  (trace) => ({ ...trace, closestUnnotifiedAncestorOrdinal: trace.closestUnnotifiedAncestorOrdinal + 1 }),
  (trace) => ({ ...trace, ordinal: trace.ordinal + 1 }),
  withReceipt(({ globalSequence }) => ({ globalSequence: globalSequence + 1 })),
  withReceipt(() => ({ recvSequence: 2n ** 48n })),
  withReceipt(() => ({ recvSequence: 2n ** 64n - 1n })),
  withReceipt(({ codeSequence }) => ({ codeSequence: codeSequence + 1 })),
  withReceipt(({ abiSequence }) => ({ abiSequence: abiSequence + 1 })),
  withReceipt(({ authSequence }) => ({ authSequence: authSequence.slice(1) })),
  withReceipt(({ authSequence }) => ({ authSequence: [...authSequence, { account: 'zzzzzzzzzzzzj', sequence: 1n }] })),
  withReceipt(({ authSequence }) => ({ authSequence: [...authSequence].reverse() })),
  withReceipt(({ authSequence }) => ({ authSequence: authSequence.map((one) => ({ ...one, account: 'other' })) })),
  withReceipt(({ authSequence }) => ({
    authSequence: authSequence.map((one) => ({ ...one, sequence: one.sequence + 1n })),
  })),
  withReceipt(({ authSequence }) => ({ authSequence: authSequence.map((one) => ({ ...one, sequence: 2n ** 63n })) })),
);

function withReceipt(change: (receipt: ActionTrace['receipt']) => Partial<ActionTrace['receipt']>) {
  return (trace: ActionTrace): ActionTrace => ({ ...trace, receipt: { ...trace.receipt, ...change(trace.receipt) } });
}

const isDerived = (packed: Buffer): boolean => ((packed[0] as number) & ACTION_FLAGS.derivedReceipts) !== 0;

/** The fields that the chain hashes, of an action as it was sent. */
function hashedFieldsOf({ account, name: action, authorization, data, traces }: ActionRecord) {
  return {
    account,
    name: action,
    authorization: authorization.map(({ actor, permission }) => [actor, permission]),
    rest: 0,
    data,
    traces: traces.map(({ receiver, receipt, returnValue }) => ({
      ...receipt,
      authSequence: receipt.authSequence.map(({ account: first, sequence: second }) => ({ first, second })),
      receiver,
      rest: 0,
      returnValue,
    })),
  };
}

describe('receipts that follow from their action', () => {
  it('are left out, and decoded as the node sent them', () => {
    fc.assert(
      fc.property(executed, (action) => {
        const packed = encode(action);
        expect(isDerived(packed)).toBe(true);
        expect(decode(packed)).toEqual(action);
        expect(hashedFields(packed)).toEqual(hashedFieldsOf(action));
      }),
    );
  });

  it('are decoded as the node sent them when one field does not follow', () => {
    fc.assert(
      fc.property(executed, fc.nat({ max: 3 }), change, (action, at, changed) => {
        const traces = action.traces.map((trace, index) =>
          index === at % action.traces.length ? changed(trace) : trace,
        );
        const sent = { ...action, traces };
        const packed = encode(sent);
        expect(decode(packed)).toEqual(sent);
        expect(hashedFields(packed)).toEqual(hashedFieldsOf(sent));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([16, 17, 200])('are decoded as the node sent them with %i authorizations', (count) => {
    const [action] = fc.sample(executed, { numRuns: 1, seed: 3 }) as [ActionRecord];
    const actors = Array.from(
      { length: count },
      (_, index) =>
        `actor${'abcdefghijklmnop'.charAt(index % 16)}${'12345'.charAt((index / 16) % 5)}${'abc'.charAt(index / 80)}`,
    );
    const authSequence = [...actors].sort().map((account) => ({ account, sequence: 7n }));
    const [own] = action.traces as [ActionTrace];
    const traces = [{ ...own, receipt: { ...own.receipt, authSequence } }];
    const sent = { ...action, authorization: actors.map((actor) => ({ actor, permission: 'active' })), traces };
    const packed = encode(sent);
    expect(isDerived(packed)).toBe(count <= 16);
    expect(decode(packed)).toEqual(sent);
  });

  it('are refused when the record is truncated or followed by bytes', () => {
    fc.assert(
      fc.property(executed, (action) => {
        const packed = encode(action);
        for (let length = 0; length < packed.length; length += 1 + (length >> 4)) {
          expect(() => decodeActionRecord(packed.subarray(0, length), FIRST_SEQUENCE)).toThrow(HistoryError);
          expect(() => hashedFields(packed.subarray(0, length))).toThrow(HistoryError);
        }
        expect(() => decodeActionRecord(Buffer.concat([packed, Buffer.of(0)]), FIRST_SEQUENCE)).toThrow(HistoryError);
      }),
      { numRuns: 25 },
    );
  });

  it('are those of all actions of recorded chains but `onerror`, which runs at another account than its own', () => {
    for (const sample of ['leap-edge', 'eosio20-edge', 'spring-savanna'] as const) {
      const { abi, messages } = openSample(sample);
      const protocol = createShipProtocol(abi);
      const actions = messages.flatMap(({ bytes }) => {
        const result = protocol.readResult(bytes);
        if (result.kind !== 'blocks' || !result.blocks.thisBlock) return [];
        return deserializeBlock(result.blocks, protocol).transactions.flatMap((each) => each.actions);
      });
      const whole = actions.filter(({ bytes }) => !isDerived(bytes));
      expect([sample, whole.filter(({ name: action }) => action !== 'onerror')]).toEqual([sample, []]);
      expect(whole.length).toBeLessThan(actions.length / 100);
    }
  });
});
