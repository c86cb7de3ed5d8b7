import type { ActionReceipt, ActionRecord, ActionTrace } from '@antelope-history/records';
import { type Digest, type DigestWriter, toHex } from './digest-writer';

/**
 * Whether the digest in the receipt of a trace is that of its action. The digest is that of the action alone, or, once the protocol
 * feature ACTION_RETURN_VALUE is active, of the digests of the action's base and of its data with the return value (nodeos
 * libraries/chain/include/eosio/chain/action.hpp, generate_action_digest).
 */
export function isActDigest(
  action: ActionRecord,
  { receipt, returnValue }: ActionTrace,
  writer: DigestWriter,
): boolean {
  writeBase(action, writer);
  const base = writer.digest();
  writer.lengthPrefixed(action.data);
  writer.lengthPrefixed(returnValue);
  const data = writer.digest();
  writer.hash(base);
  writer.hash(data);
  if (toHex(writer.digest()) === receipt.actDigest) return true;
  writeBase(action, writer);
  writer.lengthPrefixed(action.data);
  return toHex(writer.digest()) === receipt.actDigest;
}

/** Account, name and authorization: `action_base`. */
function writeBase({ account, name, authorization }: ActionRecord, writer: DigestWriter): void {
  writer.name(account);
  writer.name(name);
  writer.varuint(authorization.length);
  for (const { actor, permission } of authorization) {
    writer.name(actor);
    writer.name(permission);
  }
}

/** The leaf of an action's receipt in the tree of actions. */
export type ReceiptDigest = (action: ActionRecord, trace: ActionTrace, writer: DigestWriter) => Digest;

/** The digest of a receipt before Savanna (nodeos action_receipt.hpp). */
export const receiptDigest: ReceiptDigest = (_, { receiver, receipt }, writer) => {
  writer.name(receiver);
  writer.hexHash(receipt.actDigest);
  writer.uint53(receipt.globalSequence);
  writer.uint64(receipt.recvSequence);
  writeCounters(receipt, writer);
  return writer.digest();
};

/** The digest of a receipt since Savanna, in which a light client needs less of it (Spring trace.hpp, digest_savanna). */
export const savannaReceiptDigest: ReceiptDigest = ({ account, name }, { receiver, receipt }, writer) => {
  writer.uint53(receipt.globalSequence);
  writeCounters(receipt, writer);
  const witness = writer.digest();
  writer.name(receiver);
  writer.uint64(receipt.recvSequence);
  writer.name(account);
  writer.name(name);
  writer.hexHash(receipt.actDigest);
  writer.hash(witness);
  return writer.digest();
};

function writeCounters({ authSequence, codeSequence, abiSequence }: ActionReceipt, writer: DigestWriter): void {
  writer.varuint(authSequence.length);
  for (const { account, sequence } of authSequence) {
    writer.name(account);
    writer.uint64(sequence);
  }
  writer.varuint(codeSequence);
  writer.varuint(abiSequence);
}
