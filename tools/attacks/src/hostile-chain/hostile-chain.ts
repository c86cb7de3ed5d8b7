import type { BlockPosition } from '@antelope-history/schemas';
import { readBaseChain } from './base-chain';
import {
  blockId,
  type BlockReceipt,
  merkleRoot,
  packBlock,
  packHeader,
  packTransaction,
  receiptDigest,
} from './block-encoding';
import { ByteWriter } from './byte-writer';
import type { ChainCounters } from './chain-counters';
import { executeActions } from './executed-trace';
import { type HostileAbi, packHostileAbi } from './hostile-abi';
import { packDeltas, packMessage, packTraces, type TransactionTrace } from './ship-encoding';
import type { ActionSpec, BlockSpec, TransactionSpec } from './specs';
import { writtenActions, type WrittenChain } from './written-chain';

const STATUS = { executed: 0, delayed: 3 } as const;
/** The chain's own limits, in bytes (nodeos libraries/chain/include/eosio/chain/config.hpp): attacks keep to them. */
const MAX_TRANSACTION_NET = 512 * 1024;
const MAX_BLOCK_NET = 1024 * 1024;
/** A fixed value: the billed size depends on the version of zlib. */
const NET_WORDS = 100;
const ONBLOCK_ID = 'ff'.repeat(28);
/** Distance of the last irreversible block to the head, which bounds the depth of forks. */
const REVERSIBLE_BLOCKS = 4;
const FIRST_MS = Date.UTC(2000, 0, 1) / 1000;

/** A state of the chain, to fork from. */
export interface ChainPoint {
  readonly head: BlockPosition;
}

interface Tip extends ChainPoint {
  timestamp: number;
  header: Buffer;
  counters: ChainCounters;
  blocks: number;
  transactions: number;
  actions: number;
}

/** Writes the messages that a Leap node would send for a chain, after those of a recorded chain. */
export class HostileChain {
  readonly abi: string;
  readonly messages: Buffer[];
  readonly written: WrittenChain;
  /** Sets the attack to which the next blocks belong. */
  attack = '';
  private readonly branch: BlockPosition[];
  private timestamp: number;
  private header: Buffer;
  private counters: ChainCounters;
  private nonce = 0;
  private readonly reference: BlockPosition;

  constructor() {
    const base = readBaseChain();
    this.abi = base.abi;
    this.messages = [...base.messages];
    this.reference = base.head;
    this.branch = [base.lastIrreversible, base.head];
    this.timestamp = base.timestamp;
    this.counters = base.counters;
    this.written = { sequencesBefore: base.counters.global, blocks: [], transactions: [], actions: [] };
    this.header = base.header;
  }

  get head(): BlockPosition {
    return this.branch.at(-1) as BlockPosition;
  }

  /** Adds a block: `onblock` and then the transactions. */
  block({ transactions = [], permissions = [] }: BlockSpec = {}): void {
    const previous = this.head;
    const num = previous.num + 1;
    this.timestamp++;
    const onblock = this.onblock(num);
    const abis = new Map<string, Buffer>();
    const executed = transactions.map((spec) => this.transaction(spec, num, abis));
    const receipts = executed.map(({ receipt }) => receipt);
    const netBytes = receipts.reduce((sum, { transaction }) => sum + transaction.packed.length, 0);
    if (netBytes > MAX_BLOCK_NET) throw new Error(`${this.attack}: a block of ${netBytes} bytes`);
    const traces = packTraces([onblock, ...executed.map(({ trace }) => trace)]);
    const header = packHeader({
      timestamp: this.timestamp,
      producer: 'eosio',
      previous: previous.id,
      transactionRoot: merkleRoot(receipts.map(receiptDigest)),
      actionRoot: merkleRoot(traces.receiptDigests),
    });
    const thisBlock = { num, id: blockId(num, header) };
    this.branch.push(thisBlock);
    this.messages.push(
      packMessage({
        head: thisBlock,
        lastIrreversible: this.lastIrreversible(),
        thisBlock,
        prevBlock: previous,
        block: packBlock(header, receipts),
        traces: traces.packed,
        deltas: packDeltas({ abis, permissions }),
      }),
    );
    this.header = header;
    this.written.blocks.push({ attack: this.attack, ...thisBlock });
  }

  /** The state after the last block; `goBack` forks from it. */
  point(): ChainPoint {
    const { blocks, transactions, actions } = this.written;
    const tip: Tip = {
      head: this.head,
      timestamp: this.timestamp,
      header: this.header,
      counters: this.counters.copy(),
      blocks: blocks.length,
      transactions: transactions.length,
      actions: actions.length,
    };
    return tip;
  }

  /** Forks from a state: the next block replaces the first block after it. */
  goBack(point: ChainPoint): void {
    const tip = point as Tip;
    while (this.head.num > tip.head.num) this.branch.pop();
    // The blocks of the other producer are later, which also changes their ids.
    this.timestamp += REVERSIBLE_BLOCKS;
    this.header = tip.header;
    this.counters = tip.counters.copy();
    this.written.blocks.length = tip.blocks;
    this.written.transactions.length = tip.transactions;
    this.written.actions.length = tip.actions;
  }

  private lastIrreversible(): BlockPosition {
    return this.branch[Math.max(0, this.branch.length - 1 - REVERSIBLE_BLOCKS)] as BlockPosition;
  }

  /** The transaction that nodeos runs first in each block: its action has the header of the previous block. */
  private onblock(num: number): TransactionTrace {
    const action: ActionSpec = {
      account: 'eosio',
      name: 'onblock',
      data: this.header,
      authorization: [{ actor: 'eosio', permission: 'active' }],
    };
    const actions = executeActions([], [action], this.counters);
    this.written.actions.push(...writtenActions(this.attack, num, actions));
    return {
      id: num.toString(16).padStart(8, '0') + ONBLOCK_ID,
      status: STATUS.executed,
      cpuUsageUs: 100,
      netUsageWords: 0,
      actions,
    };
  }

  private transaction(
    spec: TransactionSpec,
    blockNum: number,
    abis: Map<string, Buffer>,
  ): { receipt: BlockReceipt; trace: TransactionTrace } {
    const { status = 'executed' } = spec;
    const expiration = FIRST_MS + Math.floor(this.timestamp / 2) + 60;
    const packedTransaction = packTransaction(spec, { expiration, nonce: this.nonce++, reference: this.reference });
    const { id, packed } = packedTransaction;
    if (packed.length > MAX_TRANSACTION_NET) throw new Error(`${this.attack}: a transaction of ${packed.length} bytes`);
    const isExecuted = status === 'executed';
    const actions = isExecuted ? executeActions(spec.contextFreeActions ?? [], spec.actions, this.counters) : [];
    for (const { abi } of actions.map((trace) => trace.spec)) if (abi) abis.set(abi.account, abi.bytes);
    const usage = { status: STATUS[status], cpuUsageUs: 200, netUsageWords: NET_WORDS };
    this.written.transactions.push({ attack: this.attack, id, blockNum, executed: isExecuted, traces: actions.length });
    this.written.actions.push(...writtenActions(this.attack, blockNum, actions));
    return { receipt: { ...usage, transaction: packedTransaction }, trace: { id, ...usage, actions } };
  }
}

/** The action with which an account sets its ABI; an empty ABI has no byte. */
export function setabi(account: string, abi: HostileAbi | Buffer): ActionSpec {
  const bytes = Buffer.isBuffer(abi) ? abi : packHostileAbi(abi);
  const data = new ByteWriter().name(account).blob(bytes).take();
  return {
    account: 'eosio',
    name: 'setabi',
    data,
    authorization: [{ actor: account, permission: 'active' }],
    abi: { account, bytes },
  };
}

/** An action of a contract on its own authority. */
export function call(account: string, name: string, data: Buffer, more: Partial<ActionSpec> = {}): ActionSpec {
  return { account, name, data, authorization: [{ actor: account, permission: 'active' }], ...more };
}
