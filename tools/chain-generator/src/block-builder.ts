import { Serialize } from 'eosjs';
import { zlibSync } from 'fflate';
import { ChainState } from './chain-state';
import { blockId, canonicalRoot, NO_DIGEST, receiptLeaf, savannaReceiptLeaf, savannaRoot, sha256 } from './digests';
import { actionsOf, executeActions } from './execute-actions';
import { FINALITY_EXTENSION, type FinalityContent, packFinality } from './finality';
import type {
  ActionSpec,
  ExecutedTrace,
  GeneratedBlock,
  GeneratedTransaction,
  SignedTransaction,
  TransactionHeader,
} from './generated-block';
import { signatureOf } from './keys';
import { newBuffer, packed, PackedTypes } from './packed-types';
import { type ChainPosition, type ShipLayouts, STATUS_NUMBERS } from './ship-layouts';

/** A transaction before it is part of a block. */
export interface TransactionSpec {
  actions: ActionSpec[];
  contextFreeActions?: ActionSpec[];
  contextFreeData?: Buffer[];
  compressed?: boolean;
  /** `delayed`: the block has the transaction, which runs later. `expired`: a deferred one that never ran. */
  status?: 'executed' | 'delayed' | 'expired';
}

/** Makes a transaction for the state that the earlier ones of its block have left. */
export type TransactionMaker = (state: ChainState) => TransactionSpec;

export interface BlockSpec {
  transactions: readonly TransactionMaker[];
  producer: string;
  /** Half seconds after the parent's. */
  slots: number;
  lastIrreversible: number;
  /** For a Savanna block. */
  finality?: FinalityContent | undefined;
  scheduleVersion: number;
}

const EXPIRATION_SECONDS = 60;
const DELAY_SECONDS = 3600;

/** Makes blocks: runs their transactions, computes ids and roots, and packs what a node sends. */
export class BlockBuilder {
  private made = 0;

  constructor(readonly layouts: ShipLayouts) {}

  /** A block on top of another, or the first block of a chain with its state. Blocks with the same parent are forks. */
  build(parent: GeneratedBlock | ChainState, spec: BlockSpec, first = { num: 1, slot: 0 }): GeneratedBlock {
    const isFirst = parent instanceof ChainState;
    const num = isFirst ? first.num : parent.num + 1;
    const slot = (isFirst ? first.slot : parent.slot) + spec.slots;
    const state = isFirst ? parent : parent.state.next();
    const previousId = isFirst ? '0'.repeat(64) : parent.id;
    const transactions = isFirst ? [] : this.transactions(parent, spec.transactions, slot, state);
    const roots = rootsOf(transactions, spec.finality !== undefined, this.made);
    // Makes the ids of blocks with equal contents and times distinct.
    const confirmed = spec.finality ? 0 : this.made & 0xffff;
    const signed = {
      timestamp: Serialize.blockTimestampToDate(slot),
      producer: spec.producer,
      confirmed,
      previous: previousId,
      transaction_mroot: roots.transactions.toString('hex'),
      action_mroot: roots.header.toString('hex'),
      schedule_version: spec.scheduleVersion,
      new_producers: null,
      header_extensions: spec.finality ? [{ type: FINALITY_EXTENSION, data: packFinality(spec.finality) }] : [],
      producer_signature: signatureOf(this.made++),
      transactions: transactions.filter(({ isOnblock }) => !isOnblock).map(packedReceipt),
      block_extensions: [],
    };
    const { types } = this.layouts;
    const packedHeader = types.pack('block_header', signed);
    const block: GeneratedBlock = {
      num,
      id: blockId(num, packedHeader),
      parent: isFirst ? undefined : parent,
      slot,
      producer: spec.producer,
      previousId,
      confirmed,
      transactionRoot: roots.transactions,
      actionRoot: roots.header,
      scheduleVersion: spec.scheduleVersion,
      finality: spec.finality,
      producerSignature: signed.producer_signature,
      transactions,
      packedHeader,
      packedBlock: types.pack('signed_block', signed),
      lastIrreversible: spec.lastIrreversible,
      state,
      message: Buffer.alloc(0),
    };
    block.message = this.message(block, roots.actions);
    return block;
  }

  private message(block: GeneratedBlock, actionRoot: Buffer): Buffer {
    const { num, id, parent, state, transactions, packedBlock, finality } = block;
    const parts = {
      head: { num, id },
      lastIrreversible: positionAt(block, block.lastIrreversible),
      thisBlock: { num, id },
      prevBlock: parent && { num: parent.num, id: parent.id },
      block: packedBlock,
    };
    if (!parent) return this.layouts.result({ ...parts, traces: undefined, deltas: this.layouts.fullState(state) });
    return this.layouts.result({
      ...parts,
      traces: this.layouts.traces(transactions),
      deltas: this.layouts.deltas(state),
      finalityData: finality && this.finalityData(block, actionRoot),
    });
  }

  private finalityData({ slot, finality }: GeneratedBlock, actionRoot: Buffer): Buffer {
    return this.layouts.types.pack('finality_data', {
      major_version: 1,
      minor_version: 0,
      active_finalizer_policy_generation: 1,
      action_mroot: actionRoot.toString('hex'),
      reversible_blocks_mroot: NO_DIGEST.toString('hex'),
      latest_qc_claim_block_num: finality?.claim.blockNum ?? 0,
      latest_qc_claim_finality_digest: NO_DIGEST.toString('hex'),
      latest_qc_claim_timestamp: Serialize.blockTimestampToDate(slot - 1),
      base_digest: NO_DIGEST.toString('hex'),
      pending_finalizer_policy: null,
      last_pending_finalizer_policy_generation: 1,
    });
  }

  /** The message of a node that starts from a snapshot at a block: its whole state, without block and traces. */
  snapshotMessage(block: GeneratedBlock): Buffer {
    return this.layouts.result({
      head: { num: block.num, id: block.id },
      lastIrreversible: positionAt(block, block.lastIrreversible),
      thisBlock: { num: block.num, id: block.id },
      prevBlock: undefined,
      block: undefined,
      traces: undefined,
      deltas: this.layouts.fullState(block.state),
    });
  }

  /** The message of a node that does not write one of its logs. */
  incompleteMessage(block: GeneratedBlock, without: 'traces' | 'deltas'): Buffer {
    const { num, id, parent, transactions, state, packedBlock } = block;
    return this.layouts.result({
      head: { num, id },
      lastIrreversible: positionAt(block, block.lastIrreversible),
      thisBlock: { num, id },
      prevBlock: parent && { num: parent.num, id: parent.id },
      block: packedBlock,
      traces: without === 'traces' || !parent ? undefined : this.layouts.traces(transactions),
      deltas: without === 'deltas' ? undefined : this.layouts.deltas(state),
    });
  }

  private transactions(
    parent: GeneratedBlock,
    makers: readonly TransactionMaker[],
    slot: number,
    state: ChainState,
  ): GeneratedTransaction[] {
    const onblock = this.onblock(parent, state);
    return [onblock, ...makers.map((make) => this.transaction(make(state), parent, slot, state))];
  }

  /** The implicit transaction that nodeos runs first in each block, with the header of the previous one. */
  private onblock(parent: GeneratedBlock, state: ChainState): GeneratedTransaction {
    const spec: ActionSpec = {
      account: 'eosio',
      name: 'onblock',
      authorization: [{ actor: 'eosio', permission: 'active' }],
      data: parent.packedHeader,
      json: undefined,
    };
    const traces = executeActions([], [spec], state);
    const id = sha256(Buffer.from(`onblock ${this.made} on ${parent.id}`)).toString('hex');
    const usage = { cpuUsageUs: 100, netUsageWords: 0 };
    return {
      id,
      status: 'executed',
      ...usage,
      signed: undefined,
      isOnblock: true,
      traces,
      executed: actionsOf(traces),
    };
  }

  private transaction(
    spec: TransactionSpec,
    parent: GeneratedBlock,
    slot: number,
    state: ChainState,
  ): GeneratedTransaction {
    const { status = 'executed', actions, contextFreeActions = [] } = spec;
    const number = this.made++;
    const usage = { cpuUsageUs: 200 + (number % 1000), netUsageWords: 10 + (number % 50) };
    if (status === 'expired') {
      const id = sha256(Buffer.from(`deferred ${number}`)).toString('hex');
      const nothing = { cpuUsageUs: 0, netUsageWords: 0 };
      return { id, status, ...nothing, signed: undefined, isOnblock: false, traces: [], executed: [] };
    }
    const header: TransactionHeader = {
      expiration: Serialize.timePointSecToDate(slotSeconds(slot) + EXPIRATION_SECONDS).slice(0, 19),
      ref_block_num: parent.num & 0xffff,
      ref_block_prefix: Buffer.from(parent.id, 'hex').readUInt32LE(8),
      // It makes equal transactions distinct.
      max_net_usage_words: 100_000 + number,
      max_cpu_usage_ms: 0,
      delay_sec: status === 'delayed' ? DELAY_SECONDS : 0,
    };
    const traces = status === 'executed' ? executeActions(contextFreeActions, actions, state) : [];
    const { id, signed } = this.sign(spec, header, number);
    return { id, status, ...usage, signed, isOnblock: false, traces, executed: actionsOf(traces) };
  }

  private sign(
    { actions, contextFreeActions = [], contextFreeData = [], compressed = false }: TransactionSpec,
    header: TransactionHeader,
    number: number,
  ): { id: string; signed: SignedTransaction } {
    const act = ({ account, name, authorization, data }: ActionSpec): unknown => ({
      account,
      name,
      authorization,
      data,
    });
    const transaction = this.layouts.types.pack('transaction', {
      ...header,
      context_free_actions: contextFreeActions.map(act),
      actions: actions.map(act),
      transaction_extensions: [],
    });
    const free = contextFreeData.length === 0 ? Buffer.alloc(0) : this.layouts.types.pack('bytes[]', contextFreeData);
    // Not Node's zlib: its output differs by version, and with it the ids of blocks that one seed gives.
    const compress = (bytes: Buffer): Buffer => (compressed && bytes.length > 0 ? Buffer.from(zlibSync(bytes)) : bytes);
    return {
      id: sha256(transaction).toString('hex'),
      signed: {
        header,
        signatures: [signatureOf(number)],
        compression: compressed ? 'zlib' : 'none',
        packedContextFreeData: compress(free),
        packedTransaction: compress(transaction),
        contextFreeData,
        contextFreeActions,
        actions,
      },
    };
  }
}

function slotSeconds(slot: number): number {
  return Math.floor(slot / 2) + Date.UTC(2000, 0, 1) / 1000;
}

/** The block of a number on the branch of a block. */
export function ancestor(block: GeneratedBlock, num: number): GeneratedBlock {
  let at = block;
  while (at.num > num && at.parent) at = at.parent;
  return at;
}

function positionAt(block: GeneratedBlock, num: number): ChainPosition {
  const { num: found, id } = ancestor(block, num);
  return { num: found, id };
}

function packedReceipt({ id, status, cpuUsageUs, netUsageWords, signed }: GeneratedTransaction): unknown {
  return {
    status: STATUS_NUMBERS[status],
    cpu_usage_us: cpuUsageUs,
    net_usage_words: netUsageWords,
    trx: signed ? ['packed_transaction', packedTransaction(signed)] : ['transaction_id', id],
  };
}

function packedTransaction({
  signatures,
  compression,
  packedContextFreeData,
  packedTransaction: trx,
}: SignedTransaction): unknown {
  return {
    signatures,
    compression: compression === 'zlib' ? 1 : 0,
    packed_context_free_data: packedContextFreeData,
    packed_trx: trx,
  };
}

interface Roots {
  transactions: Buffer;
  /** Of the receipts of all actions. */
  actions: Buffer;
  /** What the header says: since Savanna another root, which only the node can compute. */
  header: Buffer;
}

function rootsOf(transactions: readonly GeneratedTransaction[], isSavanna: boolean, number: number): Roots {
  const merkleRoot = isSavanna ? savannaRoot : canonicalRoot;
  const traces = transactions.flatMap((transaction) => transaction.traces);
  traces.sort((left, right) => left.receipt.globalSequence - right.receipt.globalSequence);
  const leafOf = ({ receipt, action }: ExecutedTrace): Buffer =>
    isSavanna ? savannaReceiptLeaf(receipt, action.spec) : receiptLeaf(receipt);
  const actions = merkleRoot(traces.map(leafOf));
  return {
    transactions: merkleRoot(transactions.filter(({ isOnblock }) => !isOnblock).map(transactionLeaf)),
    actions,
    header: isSavanna ? sha256(Buffer.from(`finality ${number}`)) : actions,
  };
}

/** The digest of a transaction's receipt (nodeos block.hpp, transaction_receipt::digest). */
function transactionLeaf({ id, status, cpuUsageUs, netUsageWords, signed }: GeneratedTransaction): Buffer {
  const usage = packed((buffer) => {
    buffer.push(STATUS_NUMBERS[status]);
    buffer.pushUint32(cpuUsageUs);
    buffer.pushVaruint32(netUsageWords);
  });
  return sha256(usage, signed ? packedDigest(signed) : Buffer.from(id, 'hex'));
}

/** The digest of a packed transaction, which covers its signatures by their own digest (transaction.cpp, packed_digest). */
function packedDigest({
  signatures,
  compression,
  packedContextFreeData,
  packedTransaction: trx,
}: SignedTransaction): Buffer {
  const prunable = newBuffer();
  prunable.pushArray(packedSignatures(signatures));
  prunable.pushBytes(packedContextFreeData);
  const covered = newBuffer();
  covered.push(compression === 'zlib' ? 1 : 0);
  covered.pushBytes(trx);
  covered.pushArray(sha256(Buffer.from(prunable.asUint8Array())));
  return sha256(Buffer.from(covered.asUint8Array()));
}

const SIGNATURE_TYPES = new PackedTypes({ version: 'eosio::abi/1.1', types: [], structs: [] });

function packedSignatures(signatures: string[]): Buffer {
  return SIGNATURE_TYPES.pack('signature[]', signatures);
}
