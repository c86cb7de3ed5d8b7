import { createHash } from 'node:crypto';
import type { BlockRecords, PermissionChange, TransactionRecord } from '@antelope-history/records';
import type { BlockPosition } from '@antelope-history/schemas';
import { type ActionPlan, packAction } from './packed-action';
import { packBlock } from './packed-block';

/** The plan of a synthetic block. */
export interface BlockPlan {
  transactions: ActionPlan[][];
  abis: { account: string; abi: Buffer }[];
  permissions: PermissionChange[];
}

export const EMPTY_BLOCK: BlockPlan = { transactions: [], abis: [], permissions: [] };

const CHAIN_START_SEQUENCE = 5_000_000_000;
const CHAIN_START_TIMESTAMP = 800_000_000;
const FIRST_BLOCK_NUM = 100;

/**
 * Creates valid chains of blocks: every block names its parent, sequences continue from the parent's, and timestamps grow.
 * Blocks with the same parent are forks of each other.
 */
export class SyntheticChain {
  private readonly endSequences = new Map<string, number>();
  /** How many ABIs each contract has had after a block, by the block's id. */
  private readonly abiCounts = new Map<string, ReadonlyMap<string, number>>();
  private made = 0;

  /** A block on top of `parent`, or the chain's first block. `irreversible`: the last irreversible block at that time. */
  block(parent: BlockRecords | undefined, plan: BlockPlan, irreversible?: BlockPosition): BlockRecords {
    const num = parent ? parent.position.num + 1 : FIRST_BLOCK_NUM;
    const position = { num, id: this.blockId(num) };
    const timestamp = (parent?.timestamp ?? CHAIN_START_TIMESTAMP) + 1 + (this.made % 3);
    const firstSequence = this.endSequences.get(parent?.position.id ?? '') ?? CHAIN_START_SEQUENCE;
    const abiChanges = plan.abis.map(({ account, abi }, index) => ({ account, abi, sequence: firstSequence + index }));
    const abiCounts = this.abiCounts.get(parent?.position.id ?? '') ?? new Map<string, number>();
    const abiSequenceAt = (account: string, sequence: number): number =>
      abiChanges.filter((change) => change.account === account && change.sequence < sequence).length +
      (abiCounts.get(account) ?? 0);
    const transactions: TransactionRecord[] = [];
    const packed: Buffer[] = [];
    let sequence = firstSequence;
    for (const actions of plan.transactions) {
      const text = `transaction ${this.made++}`;
      const transaction = this.transaction(text, actions, sequence, transactions.length, abiSequenceAt);
      transactions.push(transaction);
      // A third of the ids does not follow from the block, as that of a failed deferred transaction.
      packed.push(Buffer.from(packed.length % 3 === 2 ? 'another transaction' : text));
      sequence += transaction.sequenceCount;
    }
    this.endSequences.set(position.id, sequence);
    const changed = abiChanges.map(({ account }): [string, number] => [account, abiSequenceAt(account, Infinity)]);
    this.abiCounts.set(position.id, new Map([...abiCounts, ...changed]));
    return {
      chainId: undefined,
      streamPosition: { epoch: 0, sequence: 0 },
      head: position,
      lastIrreversible: irreversible ?? { num: FIRST_BLOCK_NUM - 1, id: this.digest('before the chain') },
      position,
      previous: parent?.position,
      block: packBlock({ timestamp }, packed),
      timestamp,
      generation: position.num % 2 === 0 ? 'eosio-2.1+' : 'eosio-2.0',
      hasTraces: true,
      actionRoot: position.num % 3 === 0 ? this.digest(`the actions of ${position.id}`) : undefined,
      rootSequences: transactions.map(({ firstSequence: first }) => [first]),
      transactions,
      abiChanges,
      permissionChanges: plan.permissions,
    };
  }

  /** A run of consecutive blocks. */
  blocks(parent: BlockRecords | undefined, plans: readonly BlockPlan[], irreversible?: BlockPosition): BlockRecords[] {
    const blocks: BlockRecords[] = [];
    for (const plan of plans) blocks.push(this.block(blocks.at(-1) ?? parent, plan, irreversible));
    return blocks;
  }

  private transaction(
    text: string,
    actions: readonly ActionPlan[],
    firstSequence: number,
    index: number,
    abiSequenceAt: (account: string, sequence: number) => number,
  ): TransactionRecord {
    let ordinal = 1;
    let sequence = firstSequence;
    const entries = actions.map((action) => {
      const entry = packAction(action, {
        ordinal: action.ordinal ?? ordinal,
        sequence,
        firstSequence,
        abiSequence: abiSequenceAt(action.account, sequence),
      });
      ordinal += 1 + action.notified.length;
      sequence += 1 + action.notified.length;
      return entry;
    });
    return {
      id: Buffer.from(this.digest(text), 'hex'),
      receiptIndex: index,
      status: 0,
      cpuUsageUs: 100 + index,
      netUsageWords: 12,
      firstSequence,
      sequenceCount: sequence - firstSequence,
      partial: undefined,
      actions: entries,
    };
  }

  /** An id begins with the block's number (nodeos block_header.cpp, calculate_id). */
  private blockId(num: number): string {
    return num.toString(16).padStart(8, '0') + this.digest(`block ${this.made++}`).slice(8);
  }

  private digest(text: string): string {
    return createHash('sha256').update(text).digest('hex');
  }
}
