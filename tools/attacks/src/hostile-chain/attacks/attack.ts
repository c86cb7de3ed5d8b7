import { call, setabi, type HostileChain } from '../hostile-chain';
import type { HostileAbi } from '../hostile-abi';
import type { ActionSpec, Expectation, TransactionSpec } from '../specs';

/** One way to make the service fail, written into blocks of its own. */
export interface Attack {
  name: string;
  /** What it aims at. */
  aim: string;
  /** Whose actions to ask for. */
  accounts: string[];
  /** Too large for the sample: only written when it is asked for by name. */
  byHand?: boolean;
  write(chain: HostileChain): void;
}

/** Puts actions into transactions of `size` each. */
export function inTransactions(actions: readonly ActionSpec[], size: number): TransactionSpec[] {
  const transactions: TransactionSpec[] = [];
  for (let at = 0; at < actions.length; at += size) transactions.push({ actions: actions.slice(at, at + size) });
  return transactions;
}

/** A block in which an account sets its ABI; the transaction is compressed, as ABIs that expand are cheap so. */
export function writeAbi(chain: HostileChain, account: string, abi: HostileAbi | Buffer): void {
  chain.block({ transactions: [{ compressed: true, actions: [setabi(account, abi)] }] });
}

/** Calls of a contract's `use`, all alike. */
export function uses(account: string, data: Buffer, count: number, more: Partial<ActionSpec> = {}): ActionSpec[] {
  return Array.from({ length: count }, () => call(account, 'use', data, more));
}

/** What fits: to be decoded. */
export const decodes = (value: unknown): Expectation => ({ json: JSON.stringify(value), mayBeHex: false });

/** What is too much as soon as there is more of it: decoded or hex. */
export const mayDecode = (value: unknown): Expectation => ({ json: JSON.stringify(value), mayBeHex: true });

/** `count` different short texts of capital letters and digits, all of one length. */
export function shortNames(count: number, length: number): string[] {
  return Array.from({ length: count }, (_, index) => index.toString(36).toUpperCase().padStart(length, '0'));
}

/** `count` different account or action names that begin with `prefix`. */
export function accountNames(prefix: string, count: number): string[] {
  const digits = '12345abcdefghijklmnopqrstuvwxyz';
  return Array.from({ length: count }, (_, index) => {
    let rest = index;
    let text = '';
    for (let place = 0; place < 3; place++) {
      text = digits.charAt(rest % digits.length) + text;
      rest = Math.floor(rest / digits.length);
    }
    return prefix + text;
  });
}
