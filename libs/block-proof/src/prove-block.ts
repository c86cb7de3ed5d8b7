import type { ActionRecord, ActionTrace } from '@antelope-history/records';
import { type BlockPosition, hasErrorCode } from '@antelope-history/schemas';
import {
  headerBytes,
  readBlockHeader,
  readPackedTransaction,
  readReceipts,
  readTransaction,
  type Transaction,
  type TransactionReceipt,
} from '@antelope-history/ship';
import { isActDigest, receiptDigest, savannaReceiptDigest } from './action-digests';
import { type Digest, digestOf, DigestWriter, toHex } from './digest-writer';
import { canonicalMerkleRoot, savannaMerkleRoot } from './merkle-root';
import { transactionDigest } from './transaction-digest';

/** A block with what was recorded of its execution. */
export interface ProvableBlock {
  position: BlockPosition;
  /** The packed signed_block. */
  block: Buffer;
  /** Whether the node sent traces; without them nothing about actions can be proved. */
  hasTraces: boolean;
  /** Root of the actions according to SHiP's finality data, in hex; the header of a Savanna block does not have it. */
  actionRoot: string | undefined;
  transactions: ProvableTransaction[];
}

export interface ProvableTransaction {
  /** 64 hex digits. */
  id: string;
  /** -1 without a receipt (`onblock`). */
  receiptIndex: number;
  actions: ActionRecord[];
}

/** What is wrong with a block; the names are those of the fields that do not fit. */
export type FaultCode =
  'id' | 'transaction_mroot' | 'transaction_id' | 'missing_transaction' | 'action_mroot' | 'act_digest';

export interface BlockFault {
  code: FaultCode;
  /** For people: what was found and what was expected. */
  detail: string;
}

export interface BlockProof {
  /** Empty if nothing is wrong. */
  faults: BlockFault[];
  /**
   * Whether the actions were compared with a root. They cannot be in a block without traces, in a Savanna block without
   * finality data, and in one whose root covers actions that are no part of the history: the context-free actions of a
   * delayed transaction, which run in the block that delays it.
   */
  areActionsProved: boolean;
}

/** Set in `schedule_version` of the headers of Savanna blocks (Spring block_header.hpp, is_proper_svnn_block). */
const SAVANNA_SCHEDULE_VERSION = 0x80000000;
/** Status of a receipt whose transaction was executed under its own id; that of a failed deferred one is of `onerror`. */
const EXECUTED = 0;
const DELAYED = 3;

/**
 * Computes from a block's bytes and from its recorded actions the block id, the ids and the root of its transactions, the
 * digest of each action and the root of the receipts of all actions, and compares them with what the block says. Throws
 * `DECODE_FAILED` if the bytes are not a block.
 */
export class BlockProver {
  private readonly writer = new DigestWriter();

  prove(block: ProvableBlock): BlockProof {
    const { writer } = this;
    const header = readBlockHeader(block.block);
    const isSavanna = header.scheduleVersion >= SAVANNA_SCHEDULE_VERSION;
    const receipts = readReceipts(block.block);
    const merkleRoot = isSavanna ? savannaMerkleRoot : canonicalMerkleRoot;
    const faults: BlockFault[] = [];
    const expect = (code: FaultCode, found: string, expected: string): void => {
      if (found !== expected) faults.push({ code, detail: `${found} is computed, ${expected} is given` });
    };
    const expectRoot = (code: FaultCode, leaves: Digest[], expected: string): void =>
      expect(code, toHex(merkleRoot(leaves, writer)), expected);
    expect('id', blockIdOf(block), block.position.id);
    const transactionLeaves = receipts.map((receipt) => transactionDigest(receipt, writer));
    expectRoot('transaction_mroot', transactionLeaves, header.transactionMroot);
    if (!block.hasTraces) return { faults, areActionsProved: false };
    faults.push(...findTransactionFaults(block.transactions, receipts), ...this.findActFaults(block.transactions));
    const actionRoot = isSavanna ? block.actionRoot : header.actionMroot;
    if (actionRoot === undefined || receipts.some(hasUnrecordedActions)) return { faults, areActionsProved: false };
    expectRoot('action_mroot', this.receiptDigests(block.transactions, isSavanna), actionRoot);
    return { faults, areActionsProved: true };
  }

  private findActFaults(transactions: ProvableTransaction[]): BlockFault[] {
    const faults: BlockFault[] = [];
    for (const { actions } of transactions) {
      for (const action of actions) {
        if (this.hasActDigests(action)) continue;
        const { account, name, traces } = action;
        const sequence = traces[0]?.receipt.globalSequence;
        faults.push({
          code: 'act_digest',
          detail: `${account}::${name} at global sequence ${sequence} is another action`,
        });
      }
    }
    return faults;
  }

  /** Notifications mostly have the digest of the contract's own trace, which is then computed once. */
  private hasActDigests(action: ActionRecord): boolean {
    const own = action.traces[0];
    return action.traces.every(
      (trace) =>
        (own !== undefined && trace !== own && hasSameDigest(trace, own)) || isActDigest(action, trace, this.writer),
    );
  }

  /** One leaf per receipt, in order of global sequence. */
  private receiptDigests(transactions: ProvableTransaction[], isSavanna: boolean): Digest[] {
    const digest = isSavanna ? savannaReceiptDigest : receiptDigest;
    const leaves: { sequence: number; digest: Digest }[] = [];
    for (const { actions } of transactions) {
      for (const action of actions) {
        for (const trace of action.traces) {
          leaves.push({ sequence: trace.receipt.globalSequence, digest: digest(action, trace, this.writer) });
        }
      }
    }
    return leaves.sort((left, right) => left.sequence - right.sequence).map((leaf) => leaf.digest);
  }
}

function hasSameDigest(trace: ActionTrace, own: ActionTrace): boolean {
  return trace.receipt.actDigest === own.receipt.actDigest && trace.returnValue.equals(own.returnValue);
}

/** The digest of the header with the block number in its first four bytes (nodeos block_header.cpp, calculate_id). */
function blockIdOf({ block, position }: ProvableBlock): string {
  const digest = toHex(digestOf(headerBytes(block)));
  return position.num.toString(16).padStart(8, '0') + digest.slice(8);
}

/** Each executed receipt has a transaction, with its id. */
function findTransactionFaults(transactions: ProvableTransaction[], receipts: TransactionReceipt[]): BlockFault[] {
  const faults: BlockFault[] = [];
  const recorded = new Map(transactions.map((each) => [each.receiptIndex, each]));
  for (const [index, receipt] of receipts.entries()) {
    if (receipt.status !== EXECUTED) continue;
    const id = transactionIdOf(receipt);
    const transaction = recorded.get(index);
    if (!transaction) {
      faults.push({ code: 'missing_transaction', detail: `receipt ${index} was executed, but has no transaction` });
    } else if (id !== undefined && id !== transaction.id) {
      faults.push({ code: 'transaction_id', detail: `receipt ${index} is of ${id}, not of ${transaction.id}` });
    }
  }
  return faults;
}

function transactionIdOf(receipt: TransactionReceipt): string | undefined {
  return 'id' in receipt.transaction ? receipt.transaction.id : unpack(receipt.transaction.packed)?.id;
}

function hasUnrecordedActions({ status, transaction }: TransactionReceipt): boolean {
  if (status !== DELAYED || 'id' in transaction) return false;
  return unpack(transaction.packed)?.contextFreeActions.length !== 0;
}

/** Undefined for contents that only the chain's own decoder accepts; the root of the transactions covers their bytes. */
function unpack(packed: Buffer): Transaction | undefined {
  try {
    return readTransaction(readPackedTransaction(packed));
  } catch (error) {
    if (hasErrorCode(error, 'DECODE_FAILED')) return undefined;
    throw error;
  }
}
