import { signatureToString, timePointSecToString } from '@antelope-history/abi';
import { writeArray, writeHex } from '@antelope-history/json';
import { readContextFreeData, type PackedTransaction, type TransactionHeader } from '@antelope-history/ship';
import type { Reserve } from './print-parts';
import type { ResponseBudget } from './response-budget';

/** Fields of a transaction that several responses share. */

/** Names of the transaction statuses, indexed by number (nodeos libraries/chain/include/eosio/chain/block.hpp, status_enum). */
const STATUS_NAMES = ['executed', 'soft_fail', 'hard_fail', 'delayed', 'expired'];

/**
 * The time of base58 grows with the square of the length, and the chain limits a WebAuthn signature only by the size of a
 * block. Usual signatures have a few hundred bytes.
 */
const MAX_BASE58_SIGNATURE_BYTES = 4096;

export function renderStatus(status: number): string {
  return STATUS_NAMES[status] ?? String(status);
}

/** Writes the fields of a transaction's header, without braces. */
export function writeTransactionHeader(header: TransactionHeader): string {
  const { refBlockNum, refBlockPrefix, maxNetUsageWords, maxCpuUsageMs, delaySec } = header;
  return (
    `"expiration":"${timePointSecToString(header.expiration)}","ref_block_num":${refBlockNum},` +
    `"ref_block_prefix":${refBlockPrefix},"max_net_usage_words":${maxNetUsageWords},` +
    `"max_cpu_usage_ms":${maxCpuUsageMs},"delay_sec":${delaySec}`
  );
}

/** Renders a signature as `SIG_K1_…` or another type in base58; as hex if it is too long for base58. */
export function renderSignature(signature: Buffer): string {
  return signature.length > MAX_BASE58_SIGNATURE_BYTES ? signature.toString('hex') : signatureToString(signature);
}

/** Work of base58 and a hash for a usual signature, in units of `ResponseLimits.work`. */
const SIGNATURE_WORK = 600;

/** Writes the signatures of a transaction; as hex once the work of the response is spent. Yields between signatures. */
export function* writeSignatures(signatures: readonly Buffer[], budget: ResponseBudget): Generator<void, string> {
  let text = '[';
  for (const signature of signatures) {
    const work = SIGNATURE_WORK + ((signature.length * signature.length) >>> 4);
    const isAffordable = signature.length <= MAX_BASE58_SIGNATURE_BYTES && work <= budget.decoding.left;
    if (isAffordable) budget.decoding.settle(work);
    if (text.length > 1) text += ',';
    // Neither base58 nor hex has a character that JSON escapes.
    text += `"${isAffordable ? signatureToString(signature) : toHex(signature)}"`;
    if (budget.isPauseDue()) yield;
  }
  return `${text}]`;
}

/** Bytes of a transaction's status, usage, id, header and field names. */
const TRANSACTION_FRAME_BYTES = 1024;

/** Upper bound of the bytes of a packed transaction: hex of its content, and signatures, which take less than hex. */
export function packedJsonBytes(packedTransaction: Buffer): number {
  return TRANSACTION_FRAME_BYTES + 2 * packedTransaction.length;
}

/** Bytes of a list of hex strings: two digits per byte, quotes and a comma. */
function hexListBytes(list: readonly Buffer[]): number {
  return list.reduce((bytes, { length }) => bytes + 2 * length + 3, 2);
}

/** The context-free data of a transaction, as JSON; undefined if the omitted forms of the following parts would not fit after them. */
export function takeContextFreeData(
  packed: PackedTransaction,
  budget: ResponseBudget,
  after: Reserve,
): string | undefined {
  const data = readContextFreeData(packed);
  const bytes = hexListBytes(data);
  const reserved = Math.min(after.omittedBytes, budget.half);
  if (!budget.hasRoom(bytes, reserved)) return undefined;
  const text = writeArray(data, writeHex);
  return budget.takePart(text.length, bytes, reserved) ? text : undefined;
}

export function renderCompression(compressed: boolean): 'none' | 'zlib' {
  return compressed ? 'zlib' : 'none';
}

export function toHex(bytes: Buffer): string {
  return bytes.toString('hex');
}
