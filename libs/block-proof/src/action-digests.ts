import {
  actDigest,
  type Digest,
  type DigestWriter,
  type PackedAction,
  type PackedTrace,
} from '@antelope-history/records';

/** Whether the digest in the receipt of a trace is that of its action. */
export function isActDigest({ base, data }: PackedAction, trace: PackedTrace): boolean {
  if (trace.isDigestComputed) return true;
  const expected: Digest = trace.actDigest.toString('latin1');
  if (actDigest(base, data, trace.returnValue) === expected) return true;
  // Before ACTION_RETURN_VALUE no action returned a value, and the digest would not cover one.
  return trace.returnValue.length === 0 && actDigest(base, data, undefined) === expected;
}

/** The leaf of an action's receipt in the tree of actions. */
export type ReceiptDigest = (action: PackedAction, trace: PackedTrace, writer: DigestWriter) => Digest;

/** The digest of a receipt before Savanna (nodeos action_receipt.hpp). */
export const receiptDigest: ReceiptDigest = (_, trace, writer) => {
  writer.bytes(trace.receiver);
  writer.bytes(trace.actDigest);
  writer.uint64(trace.globalSequence);
  writer.bytes(trace.recvSequence);
  writer.bytes(trace.counters);
  return writer.digest();
};

/** Account and name, with which the packed base of an action begins. */
const ACTION_NAME_BYTES = 16;

/** The digest of a receipt since Savanna, in which a light client needs less of it (Spring trace.hpp, digest_savanna). */
export const savannaReceiptDigest: ReceiptDigest = ({ base }, trace, writer) => {
  writer.uint64(trace.globalSequence);
  writer.bytes(trace.counters);
  const witness = writer.digest();
  writer.bytes(trace.receiver);
  writer.bytes(trace.recvSequence);
  writer.copy(base, 0, ACTION_NAME_BYTES);
  writer.bytes(trace.actDigest);
  writer.latin1(witness);
  return writer.digest();
};
