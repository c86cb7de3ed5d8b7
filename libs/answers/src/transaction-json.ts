import { signatureToString, timePointSecToString } from '@antelope-history/abi';
import type { TransactionHeader } from '@antelope-history/ship';

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

export function renderCompression(compressed: boolean): 'none' | 'zlib' {
  return compressed ? 'zlib' : 'none';
}

export function toHex(bytes: Buffer): string {
  return bytes.toString('hex');
}
