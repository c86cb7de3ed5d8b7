import { readName } from '@antelope-history/abi';
import {
  type Digest,
  digestOf,
  digestToHex,
  DigestWriter,
  type PackedAction,
  type PackedTrace,
} from '@antelope-history/records';
import type { BlockPosition } from '@antelope-history/schemas';
import { headerBytes, readBlockHeader, readReceipts } from '@antelope-history/ship';
import { isActDigest, type ReceiptDigest, receiptDigest, savannaReceiptDigest } from './action-digests';
import { canonicalMerkleRoot, savannaMerkleRoot } from './merkle-root';
import { transactionDigest } from './transaction-digest';
import { TransactionCheck } from './transaction-faults';

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
  actions: PackedAction[];
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
/** A block with more faults is described by the first ones: a hostile node could send a million. */
const MAX_FAULTS = 100;

/**
 * Computes from a block's bytes and from its recorded actions the block id, the ids and the root of its transactions, the
 * digest of each action and the root of the receipts of all actions, and compares them with what the block says.
 */
export class BlockProver {
  private readonly writer = new DigestWriter();

  /**
   * `maxUnpackedBytes`: how many bytes the compressed transactions of one block may have in all, because 1 KB of a block can
   * unpack to 1 MB. The ids of the transactions beyond are not computed; the root of the transactions covers their bytes.
   */
  constructor(private readonly maxUnpackedBytes = Infinity) {}

  /**
   * Names at most MAX_FAULTS faulty transactions and actions. Throws `DECODE_FAILED` if the bytes are not a block, or not its recorded
   * actions.
   */
  prove(block: ProvableBlock): BlockProof {
    const steps = this.proveInSteps(block);
    let step = steps.next();
    while (!step.done) step = steps.next();
    return step.value;
  }

  /** Does the work of `prove`, and yields after each action, so that a caller can pause: a block may have 50,000 of them. */
  *proveInSteps(block: ProvableBlock): Generator<void, BlockProof, void> {
    const header = readBlockHeader(block.block);
    const isSavanna = header.scheduleVersion >= SAVANNA_SCHEDULE_VERSION;
    const merkleRoot = isSavanna ? savannaMerkleRoot : canonicalMerkleRoot;
    const receipts = readReceipts(block.block);
    const faults: BlockFault[] = [];
    const expect = (code: FaultCode, found: string, expected: string): void => {
      if (found !== expected) faults.push({ code, detail: `${found} is computed, ${expected} is given` });
    };
    expect('id', blockIdOf(block), block.position.id);
    const transactionLeaves = receipts.map((receipt) => transactionDigest(receipt, this.writer));
    expect('transaction_mroot', digestToHex(merkleRoot(transactionLeaves)), header.transactionMroot);
    if (!block.hasTraces) return { faults, areActionsProved: false };

    const check = new TransactionCheck(receipts, this.maxUnpackedBytes);
    for (const fault of check.faults(block.transactions)) addFault(faults, fault);
    const leaves: ReceiptLeaf[] = [];
    for (const { actions } of block.transactions) {
      for (const action of actions) {
        if (!this.addLeaves(leaves, action, isSavanna ? savannaReceiptDigest : receiptDigest)) {
          addFault(faults, { code: 'act_digest', detail: `${describeAction(action)} is another action` });
        }
        yield;
      }
    }
    const actionRoot = isSavanna ? block.actionRoot : header.actionMroot;
    if (actionRoot === undefined || check.hasUnrecordedActions()) return { faults, areActionsProved: false };
    leaves.sort((left, right) => left.sequence - right.sequence);
    expect('action_mroot', digestToHex(merkleRoot(leaves.map(({ digest }) => digest))), actionRoot);
    return { faults, areActionsProved: true };
  }

  /** Adds the leaves of an action's traces; returns whether the digests in their receipts are those of the action. */
  private addLeaves(leaves: ReceiptLeaf[], action: PackedAction, digestOfReceipt: ReceiptDigest): boolean {
    let proved: PackedTrace | undefined;
    let areProved = true;
    for (const trace of action.traces) {
      // Notifications mostly have the digest of the contract's own trace, which is then computed once.
      if (!proved || !hasSameDigest(trace, proved)) {
        if (isActDigest(action, trace)) proved = trace;
        else areProved = false;
      }
      leaves.push({ sequence: trace.globalSequence, digest: digestOfReceipt(action, trace, this.writer) });
    }
    return areProved;
  }
}

/** The digest of a receipt with the global sequence by which the leaves of the tree are ordered. */
interface ReceiptLeaf {
  sequence: number;
  digest: Digest;
}

function hasSameDigest(trace: PackedTrace, proved: PackedTrace): boolean {
  return trace.actDigest.equals(proved.actDigest) && trace.returnValue.equals(proved.returnValue);
}

function addFault(faults: BlockFault[], fault: BlockFault): void {
  if (faults.length < MAX_FAULTS) faults.push(fault);
}

function describeAction({ base, traces }: PackedAction): string {
  const [own] = traces;
  return `${readName(base, 0)}::${readName(base, 8)} at global sequence ${own?.globalSequence}`;
}

/** The digest of the header with the block number in its first four bytes (nodeos block_header.cpp, calculate_id). */
function blockIdOf({ block, position }: ProvableBlock): string {
  const digest = digestToHex(digestOf(headerBytes(block)));
  return position.num.toString(16).padStart(8, '0') + digest.slice(8);
}
