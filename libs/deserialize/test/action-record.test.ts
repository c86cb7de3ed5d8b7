import { HistoryError } from '@antelope-history/schemas';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import {
  copyReceipt,
  decodeActionRecord,
  readPackedAction,
  RecordWriter,
  type ActionRecord,
  type ActionTrace,
} from '@antelope-history/records';
import { encode, FIRST_SEQUENCE, hashedFields, record } from './encoded-action';

const sha256 = (...parts: Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** The action with the digests that a chain gives it, before and after ACTION_RETURN_VALUE. */
function withChainDigests(action: ActionRecord, isReturnValueCovered: boolean): ActionRecord {
  const { base, data } = readPackedAction(encode(action), FIRST_SEQUENCE);
  const packedLength = (bytes: Buffer): Buffer => {
    const writer = new RecordWriter(0);
    writer.varuint(bytes.length);
    return writer.view(0);
  };
  const packedData = Buffer.concat([packedLength(data), data]);
  const digestOf = (value: Buffer): Buffer =>
    isReturnValueCovered
      ? sha256(sha256(base), sha256(packedData, packedLength(value), value))
      : sha256(base, packedData);
  const traces = action.traces.map((each) => ({
    ...each,
    receipt: { ...each.receipt, actDigest: digestOf(each.returnValue).toString('hex') },
  }));
  return { ...action, traces };
}

describe('an action record', () => {
  it('has packed parts with the fields that the chain hashes', () => {
    fc.assert(
      fc.property(record, (action) => {
        expect(hashedFields(encode(action))).toEqual({
          account: action.account,
          name: action.name,
          authorization: action.authorization.map(({ actor, permission }) => [actor, permission]),
          rest: 0,
          data: action.data,
          traces: action.traces.map(({ receiver, receipt, returnValue }) => ({
            ...receipt,
            authSequence: receipt.authSequence.map(({ account, sequence }) => ({ first: account, second: sequence })),
            receiver,
            rest: 0,
            returnValue,
          })),
        });
      }),
    );
  });

  it('decodes to the action that the node sent', () => {
    fc.assert(
      fc.property(record, (action) => {
        const { traces, ...decoded } = decodeActionRecord(encode(action), FIRST_SEQUENCE);
        const whole = traces.map((each) => ({ ...each, receipt: copyReceipt(each.receipt) }));
        expect({ ...decoded, traces: whole }).toEqual(action);
      }),
    );
  });

  it('leaves out the digests that can be computed from the action', () => {
    fc.assert(
      fc.property(record, fc.boolean(), (action, isReturnValueCovered) => {
        const computed = withChainDigests(action, isReturnValueCovered);
        const packed = encode(computed);
        const { traces, ...decoded } = decodeActionRecord(packed, FIRST_SEQUENCE);
        const whole = traces.map((each) => ({ ...each, receipt: copyReceipt(each.receipt) }));
        expect({ ...decoded, traces: whole }).toEqual(computed);
        expect(hashedFields(packed).traces.map(({ actDigest }) => actDigest)).toEqual(
          computed.traces.map(({ receipt }) => receipt.actDigest),
        );
        // The same action with a digest that is not its own.
        const [own] = computed.traces as [ActionTrace];
        const foreign = { ...own, receipt: { ...own.receipt, actDigest: 'ab'.repeat(32) } };
        const isFirstComputed = isReturnValueCovered || own.returnValue.length === 0;
        const spared =
          encode({ ...computed, traces: [foreign] }).length - encode({ ...computed, traces: [own] }).length;
        expect(spared).toBe(isFirstComputed ? 30 : 0);
      }),
    );
  });

  it('leaves the digest of a notification to be proved that has the digest of another return value', () => {
    const [action] = fc.sample(record, { numRuns: 1, seed: 7 }) as [ActionRecord];
    const [first] = action.traces as [ActionTrace];
    const returning = (returnValue: Buffer): ActionTrace => ({ ...first, returnValue });
    const [own] = withChainDigests({ ...action, traces: [returning(Buffer.from('a'))] }, true).traces as [ActionTrace];
    const forged = { ...own, returnValue: Buffer.from('b') };
    const computedIn = (traces: ActionTrace[]): boolean[] =>
      [...readPackedAction(encode({ ...action, traces }), FIRST_SEQUENCE).traces].map((each) => each.isDigestComputed);
    expect(computedIn([own, own])).toEqual([true, true]);
    expect(computedIn([own, forged])).toEqual([true, false]);
  });

  it('is refused when the action of a computed digest was damaged', () => {
    const [action] = fc.sample(record, { numRuns: 1, seed: 7 }) as [ActionRecord];
    const computed = withChainDigests({ ...action, data: Buffer.from('transfer 1 EOS') }, true);
    const packed = encode(computed);
    packed.write('transfer 9 EOS', packed.indexOf('transfer 1 EOS'));
    const { traces } = decodeActionRecord(packed, FIRST_SEQUENCE);
    expect(() => traces[0]?.receipt.actDigest).toThrow('the digest of an action is not the one');
    expect(() => hashedFields(packed)).toThrow('the digest of an action is not the one');
  });

  it('is refused when it is truncated or followed by bytes', () => {
    fc.assert(
      fc.property(record, (action) => {
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
});
