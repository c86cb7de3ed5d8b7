import { ByteReader, readName } from '@antelope-history/abi';
import {
  type ActionRecord,
  type ActionTrace,
  copyReceipt,
  decodeActionRecord,
  readPackedAction,
  RecordWriter,
} from '@antelope-history/records';
import { createShipProtocol } from '@antelope-history/ship';
import { openSample } from '@antelope-history/test-support/recordings';
import fc from 'fast-check';
import { ActionRecordEncoder } from '../src/index';
import { packTraces } from './pack-traces';

const protocol = createShipProtocol(openSample('leap-edge').abi);

export const name = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(nameOf);
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
/** At most 28 bits: wharfkit's encoder loses the fifth byte of a varuint32 at the end of its buffer. */
const varuint32 = fc.nat({ max: 2 ** 28 - 1 });
const text = fc.string({ maxLength: 40 });

/** One of two digests, so that some traces share one. */
const digest = fc.constantFrom('ab'.repeat(32), 'cd'.repeat(32));
export const FIRST_SEQUENCE = 2 ** 40;

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

/** Any action, also such as no node sends. */
export const record: fc.Arbitrary<ActionRecord> = fc.record({
  account: name,
  name,
  authorization: fc.array(fc.record({ actor: name, permission: name }), { maxLength: 5 }),
  data: bytes,
  contextFree: fc.boolean(),
  traces: fc.array(trace, { minLength: 1, maxLength: 4 }),
});

/** The packed record of an action in a node's message. */
export function encode(action: ActionRecord): Buffer {
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

/** An action decoded from its record, with receipts that can be compared: two records of the same action can differ. */
export function decode(packed: Buffer): ActionRecord {
  const action = decodeActionRecord(packed, FIRST_SEQUENCE);
  return { ...action, traces: action.traces.map((each) => ({ ...each, receipt: copyReceipt(each.receipt) })) };
}

/** The name with a 64-bit value. */
export function nameOf(value: bigint): string {
  const packed = Buffer.alloc(8);
  packed.writeBigUInt64LE(value);
  return readName(packed, 0);
}

function readPairs(reader: ByteReader): { first: string; second: bigint }[] {
  return Array.from({ length: reader.varuint32() }, () => ({ first: reader.name(), second: reader.uint64() }));
}

/** The hashed fields of an action record, read from the packed parts. */
export function hashedFields(packed: Buffer) {
  const { base, data, traces } = readPackedAction(packed, FIRST_SEQUENCE);
  const baseReader = new ByteReader(base);
  return {
    account: baseReader.name(),
    name: baseReader.name(),
    authorization: readPairs(baseReader).map((pair) => [pair.first, nameOf(pair.second)]),
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
