import type { PackedAction, PackedTrace } from '@antelope-history/records';
import type { Digest, DigestWriter } from './digest-writer';

/**
 * Whether the digest in the receipt of a trace is that of its action. The digest is that of the action alone, or, once the protocol
 * feature ACTION_RETURN_VALUE is active, of the digests of the action's base and of its data with the return value (nodeos
 * libraries/chain/include/eosio/chain/action.hpp, generate_action_digest).
 */
export function isActDigest(
  { base, data }: PackedAction,
  { actDigest, returnValue }: PackedTrace,
  writer: DigestWriter,
): boolean {
  const expected: Digest = actDigest.toString('latin1');
  writer.bytes(base);
  const baseDigest = writer.digest();
  writer.lengthPrefixed(data);
  writer.lengthPrefixed(returnValue);
  const dataDigest = writer.digest();
  writer.latin1(baseDigest);
  writer.latin1(dataDigest);
  if (writer.digest() === expected) return true;
  // Before the feature no action returned a value, and the digest would not cover one.
  if (returnValue.length > 0) return false;
  writer.bytes(base);
  writer.lengthPrefixed(data);
  return writer.digest() === expected;
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
