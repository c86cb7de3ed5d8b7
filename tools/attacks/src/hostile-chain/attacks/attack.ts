import { call, setabi, type HostileChain } from '../hostile-chain';
import type { HostileAbi } from '../hostile-abi';
import type { ActionSpec, Expectation, TransactionSpec } from '../specs';

/** An attempt to make the service fail, written into blocks of its own. */
export interface Attack {
  name: string;
  /** Description of the data that it writes. */
  aim: string;
  /** Accounts whose actions are requested. */
  accounts: string[];
  /** Too large for the sample: it is written only on request by name. */
  byHand?: boolean;
  write(chain: HostileChain): void;
}

/** Puts actions into transactions of `size` each. */
export function inTransactions(actions: readonly ActionSpec[], size: number): TransactionSpec[] {
  const transactions: TransactionSpec[] = [];
  for (let at = 0; at < actions.length; at += size) transactions.push({ actions: actions.slice(at, at + size) });
  return transactions;
}

/** A block in which an account sets its ABI. The transaction is compressed, which makes repetitive ABIs cheap. */
export function writeAbi(chain: HostileChain, account: string, abi: HostileAbi | Buffer): void {
  chain.block({ transactions: [{ compressed: true, actions: [setabi(account, abi)] }] });
}

/** Equal calls of a contract's action `use`. */
export function uses(account: string, data: Buffer, count: number, more: Partial<ActionSpec> = {}): ActionSpec[] {
  return Array.from({ length: count }, () => call(account, 'use', data, more));
}

/** Data that fits and is expected decoded. */
export const decodes = (value: unknown): Expectation => ({ json: JSON.stringify(value), mayBeHex: false });

/** Data that exceeds the limits when it is repeated: expected decoded or as hex. */
export const mayDecode = (value: unknown): Expectation => ({ json: JSON.stringify(value), mayBeHex: true });

/** `count` different texts of capital letters and digits, each of `length` characters. */
export function shortNames(count: number, length: number): string[] {
  return Array.from({ length: count }, (_, index) => index.toString(36).toUpperCase().padStart(length, '0'));
}

/** `count` different account or action names that begin with `prefix`. */
export function accountNames(prefix: string, count: number): string[] {
  const digits = '12345abcdefghijklmnopqrstuvwxyz';
  return Array.from({ length: count }, (_, index) => {
    let rest = index;
    let text = '';
    for (let digit = 0; digit < 3; digit++) {
      text = digits.charAt(rest % digits.length) + text;
      rest = Math.floor(rest / digits.length);
    }
    return prefix + text;
  });
}
