import { Serialize } from 'eosjs';
import { finalityJson } from '../finality';
import type {
  ActionSpec,
  ExecutedTrace,
  GeneratedBlock,
  GeneratedTransaction,
  SignedTransaction,
} from '../generated-block';
import type { ReceiptContent } from '../digests';

/** The JSON of nodes for what the generator made. Nothing here is decoded: the generator knows each value. */

/** Above this nodes print integers as text (fc/src/variant.cpp). */
const MAX_NUMBER = 0xffffffff;

export function integerJson(value: number): number | string {
  return value > MAX_NUMBER ? String(value) : value;
}

export function blockTime({ slot }: GeneratedBlock): string {
  return Serialize.blockTimestampToDate(slot);
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex');
}

export function actJson({ account, name, authorization, data, json }: ActionSpec): object {
  return { account, name, authorization, data: json ?? hex(data), hex_data: hex(data) };
}

function receiptJson(receipt: ReceiptContent): object {
  return {
    receiver: receipt.receiver,
    act_digest: hex(receipt.actDigest),
    global_sequence: integerJson(receipt.globalSequence),
    recv_sequence: integerJson(receipt.recvSequence),
    auth_sequence: receipt.authSequence.map(([account, sequence]) => [account, integerJson(sequence)]),
    code_sequence: receipt.codeSequence,
    abi_sequence: receipt.abiSequence,
  };
}

/** An action trace as the history plugin prints it. */
export function actionTraceJson(trace: ExecutedTrace, { id }: GeneratedTransaction, block: GeneratedBlock): object {
  const { spec, traces } = trace.action;
  const isOwn = traces[0] === trace;
  const returned = isOwn ? spec.returnValue : undefined;
  return {
    action_ordinal: trace.ordinal,
    creator_action_ordinal: trace.creatorOrdinal,
    closest_unnotified_ancestor_action_ordinal: trace.unnotifiedAncestorOrdinal,
    receipt: receiptJson(trace.receipt),
    receiver: trace.receiver,
    act: actJson(spec),
    context_free: trace.contextFree,
    elapsed: 0,
    console: isOwn ? (spec.console ?? '') : '',
    trx_id: id,
    block_num: block.num,
    block_time: blockTime(block),
    producer_block_id: block.id,
    account_ram_deltas: isOwn ? (spec.ramDeltas ?? []) : [],
    except: null,
    error_code: null,
    return_value_hex_data: returned ? hex(returned.packed) : '',
    ...(returned?.json !== undefined && { return_value_data: returned.json }),
  };
}

const bySequence = (traces: readonly ExecutedTrace[]): ExecutedTrace[] =>
  traces.toSorted((left, right) => left.receipt.globalSequence - right.receipt.globalSequence);

/** `get_transaction`, without the last irreversible block. */
export function transactionJson(transaction: GeneratedTransaction, block: GeneratedBlock): object {
  const { id, signed, status, cpuUsageUs, netUsageWords, traces } = transaction;
  return {
    id,
    trx: signed
      ? {
          receipt: {
            status,
            cpu_usage_us: cpuUsageUs,
            net_usage_words: netUsageWords,
            trx: [1, packedJson(signed)],
          },
          trx: {
            ...signed.header,
            context_free_actions: signed.contextFreeActions.map(actJson),
            actions: signed.actions.map(actJson),
            transaction_extensions: [],
            signatures: signed.signatures,
            context_free_data: signed.contextFreeData.map(hex),
          },
        }
      : null,
    block_time: blockTime(block),
    block_num: block.num,
    traces: bySequence(traces).map((trace) => actionTraceJson(trace, transaction, block)),
  };
}

function packedJson({ signatures, compression, packedContextFreeData, packedTransaction }: SignedTransaction): object {
  return {
    signatures,
    compression,
    packed_context_free_data: hex(packedContextFreeData),
    packed_trx: hex(packedTransaction),
  };
}

/** `/v1/chain/get_block`. */
export function chainBlockJson(block: GeneratedBlock): object {
  return {
    timestamp: blockTime(block),
    producer: block.producer,
    confirmed: block.confirmed,
    previous: block.previousId,
    transaction_mroot: hex(block.transactionRoot),
    action_mroot: hex(block.actionRoot),
    schedule_version: block.scheduleVersion,
    new_producers: null,
    ...(block.finality && { finality_extension: finalityJson(block.finality) }),
    producer_signature: block.producerSignature,
    transactions: block.transactions.filter(({ isOnblock }) => !isOnblock).map(blockTransactionJson),
    id: block.id,
    block_num: block.num,
    ref_block_prefix: Buffer.from(block.id, 'hex').readUInt32LE(8),
  };
}

function blockTransactionJson({ id, status, cpuUsageUs, netUsageWords, signed }: GeneratedTransaction): object {
  return {
    status,
    cpu_usage_us: cpuUsageUs,
    net_usage_words: netUsageWords,
    trx: signed
      ? {
          id,
          ...packedJson(signed),
          context_free_data: signed.contextFreeData.map(hex),
          transaction: {
            ...signed.header,
            context_free_actions: signed.contextFreeActions.map(actJson),
            actions: signed.actions.map(actJson),
          },
        }
      : id,
  };
}

const NO_HEADER = {
  expiration: '1970-01-01T00:00:00',
  ref_block_num: 0,
  ref_block_prefix: 0,
  max_net_usage_words: 0,
  max_cpu_usage_ms: 0,
  delay_sec: 0,
};

/** `/v1/trace_api/get_block`, without `status`. */
export function traceBlockJson(block: GeneratedBlock): object {
  return {
    id: block.id,
    number: block.num,
    previous_id: block.previousId,
    timestamp: `${blockTime(block)}Z`,
    producer: block.producer,
    transaction_mroot: hex(block.transactionRoot),
    action_mroot: hex(block.actionRoot),
    schedule_version: block.scheduleVersion,
    transactions: block.transactions
      .filter(({ status }) => status === 'executed')
      .map((transaction) => tracedTransactionJson(transaction, block)),
  };
}

function tracedTransactionJson(transaction: GeneratedTransaction, block: GeneratedBlock): object {
  const { id, status, cpuUsageUs, netUsageWords, signed, traces } = transaction;
  return {
    id,
    block_num: block.num,
    block_time: blockTime(block),
    producer_block_id: block.id,
    actions: bySequence(traces)
      .filter(({ contextFree }) => !contextFree)
      .map(tracedActionJson),
    status,
    cpu_usage_us: cpuUsageUs,
    net_usage_words: netUsageWords,
    signatures: signed?.signatures ?? [],
    transaction_header: signed?.header ?? NO_HEADER,
  };
}

function tracedActionJson(trace: ExecutedTrace): object {
  const { spec, traces } = trace.action;
  const returned = traces[0] === trace ? spec.returnValue : undefined;
  return {
    global_sequence: integerJson(trace.receipt.globalSequence),
    receiver: trace.receiver,
    account: spec.account,
    action: spec.name,
    authorization: spec.authorization.map(({ actor, permission }) => ({ account: actor, permission })),
    data: hex(spec.data),
    return_value: returned ? hex(returned.packed) : '',
    ...(spec.json !== undefined && { params: spec.json }),
    ...(returned?.json !== undefined && { return_data: returned.json }),
  };
}
