import { signatureToString, timePointSecToString } from '@antelope-history/abi';
import { readContextFreeData, type PackedTransaction, type TransactionHeader } from '@antelope-history/ship';
import type { Reserve } from './print-parts';
import type { ResponseBudget } from './response-budget';

/** Parts of a transaction that several answers show alike. */

/** In the order of their numbers (nodeos libraries/chain/include/eosio/chain/block.hpp, status_enum). */
const STATUS_NAMES = ['executed', 'soft_fail', 'hard_fail', 'delayed', 'expired'];

/**
 * Base58 takes time that grows with the square of the length, and the chain sets a WebAuthn signature no limit but the
 * block's. Real ones have some hundred bytes.
 */
const MAX_BASE58_SIGNATURE_BYTES = 4096;

export function renderStatus(status: number): string {
  return STATUS_NAMES[status] ?? String(status);
}

export function renderTransactionHeader(header: TransactionHeader): TransactionHeaderJson {
  return {
    expiration: timePointSecToString(header.expiration),
    ref_block_num: header.refBlockNum,
    ref_block_prefix: header.refBlockPrefix,
    max_net_usage_words: header.maxNetUsageWords,
    max_cpu_usage_ms: header.maxCpuUsageMs,
    delay_sec: header.delaySec,
  };
}

export interface TransactionHeaderJson {
  expiration: string;
  ref_block_num: number;
  ref_block_prefix: number;
  max_net_usage_words: number;
  max_cpu_usage_ms: number;
  delay_sec: number;
}

/** `SIG_K1_…` and the like; the hex of a signature that is too long for base58. */
export function renderSignature(signature: Buffer): string {
  return signature.length > MAX_BASE58_SIGNATURE_BYTES ? signature.toString('hex') : signatureToString(signature);
}

/** Base58 and a hash of a usual signature, in units of work. */
const SIGNATURE_WORK = 600;

/** The signatures of a transaction; those beyond the work of the response are hex. Pauses between them. */
export function* renderSignatures(signatures: readonly Buffer[], budget: ResponseBudget): Generator<void, string[]> {
  const rendered: string[] = [];
  for (const signature of signatures) {
    const work = SIGNATURE_WORK + ((signature.length * signature.length) >>> 4);
    const isAffordable = signature.length <= MAX_BASE58_SIGNATURE_BYTES && work <= budget.decoding.left;
    if (isAffordable) budget.decoding.settle(work);
    rendered.push(isAffordable ? signatureToString(signature) : toHex(signature));
    if (budget.isPauseDue()) yield;
  }
  return rendered;
}

/** Status, figures and names of a transaction, its id and header. */
const TRANSACTION_FRAME_BYTES = 1024;

/** The most bytes that a packed transaction takes: hex of what it holds, and signatures, which take less. */
export function packedJsonBytes(packedTransaction: Buffer): number {
  return TRANSACTION_FRAME_BYTES + 2 * packedTransaction.length;
}

/** Hex digits, quotes and a comma. */
function hexListBytes(list: readonly Buffer[]): number {
  return list.reduce((bytes, { length }) => bytes + 2 * length + 3, 2);
}

/** The context-free data of a transaction; undefined when they do not leave the parts that follow their omitted forms. */
export function takeContextFreeData(
  packed: PackedTransaction,
  budget: ResponseBudget,
  after: Reserve,
): string[] | undefined {
  const data = readContextFreeData(packed);
  const bytes = hexListBytes(data);
  const reserved = Math.min(after.omittedBytes, budget.half);
  return budget.hasRoom(bytes, reserved) ? budget.takePart(data.map(toHex), bytes, reserved) : undefined;
}

export function renderCompression(compressed: boolean): 'none' | 'zlib' {
  return compressed ? 'zlib' : 'none';
}

export function toHex(bytes: Buffer): string {
  return bytes.toString('hex');
}
