import { ByteReader, nameToString } from '@antelope-history/abi';
import { openSample } from '@antelope-history/test-support/recordings';
import { HistoryError } from '@antelope-history/schemas';
import { createShipProtocol } from '@antelope-history/ship';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { ActionRecordEncoder } from '../src/index';
import {
  copyReceipt,
  decodeActionRecord,
  readPackedAction,
  RecordWriter,
  type ActionRecord,
  type ActionTrace,
} from '@antelope-history/records';
import { packTraces } from './pack-traces';

const protocol = createShipProtocol(openSample('leap-edge').abi);

const name = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => nameToString(value));
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
/** At most 28 bits: wharfkit's encoder loses the fifth byte of a varuint32 at the end of its buffer. */
const varuint32 = fc.nat({ max: 2 ** 28 - 1 });
const text = fc.string({ maxLength: 40 });

/** One of two digests, so that some traces share one. */
const digest = fc.constantFrom('ab'.repeat(32), 'cd'.repeat(32));
const FIRST_SEQUENCE = 2 ** 40;

const trace: fc.Arbitrary<ActionTrace> = fc.record({
  ordinal: varuint32,
  creatorOrdinal: varuint32,
  closestUnnotifiedAncestorOrdinal: varuint32,
  receiver: name,
  receipt: fc.record({
    actDigest: digest,
    globalSequence: fc.nat({ max: 2 ** 31 - 1 }).map((offset) => FIRST_SEQUENCE + offset),
    recvSequence: uint64,
    authSequence: fc.array(fc.record({ account: name, sequence: uint64 }), { maxLength: 5 }),
    codeSequence: varuint32,
    abiSequence: varuint32,
  }),
  elapsed: fc.oneof(fc.constant(0n), int64),
  console: fc.oneof(fc.constant(''), text).map((printed) => Buffer.from(printed)),
  accountRamDeltas: fc.array(fc.record({ account: name, delta: int64 }), { maxLength: 5 }),
  except: fc.option(text, { nil: undefined }),
  errorCode: fc.option(uint64, { nil: undefined }),
  returnValue: bytes,
});

const record: fc.Arbitrary<ActionRecord> = fc.record({
  account: name,
  name,
  authorization: fc.array(fc.record({ actor: name, permission: name }), { maxLength: 5 }),
  data: bytes,
  contextFree: fc.boolean(),
  traces: fc.array(trace, { minLength: 1, maxLength: 4 }),
});

/** The packed record of an action in a node's message. */
function encode(action: ActionRecord): Buffer {
  const packed = packTraces(action);
  const writer = new RecordWriter(0);
  protocol.readTraces(packed, (view) => {
    const placed = action.traces.map(({ closestUnnotifiedAncestorOrdinal }, index) => ({
      view: view.actions[index]!,
      closestUnnotifiedAncestorOrdinal,
    }));
    new ActionRecordEncoder(writer).encode(packed, placed, FIRST_SEQUENCE);
  });
  return writer.view(0);
}

function readPairs(reader: ByteReader): { first: string; second: bigint }[] {
  return Array.from({ length: reader.varuint32() }, () => ({ first: reader.name(), second: reader.uint64() }));
}

/** The hashed fields of an action record, read from the packed parts. */
function hashedFields(packed: Buffer) {
  const { base, data, traces } = readPackedAction(packed, FIRST_SEQUENCE);
  const baseReader = new ByteReader(base);
  return {
    account: baseReader.name(),
    name: baseReader.name(),
    authorization: readPairs(baseReader).map((pair) => [pair.first, nameToString(pair.second)]),
    rest: baseReader.remaining(),
    data,
    traces: [...traces].map(({ receiver, globalSequence, recvSequence, actDigest, counters, returnValue }) => {
      const counterReader = new ByteReader(counters);
      return {
        receiver: new ByteReader(receiver).name(),
        globalSequence,
        recvSequence: recvSequence.readBigUInt64LE(),
        actDigest: actDigest.toString('hex'),
        authSequence: readPairs(counterReader),
        codeSequence: counterReader.varuint32(),
        abiSequence: counterReader.varuint32(),
        rest: counterReader.remaining(),
        returnValue,
      };
    }),
  };
}

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
