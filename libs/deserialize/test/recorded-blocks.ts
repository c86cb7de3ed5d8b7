import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import type { Recording } from '@antelope-history/test-support/recordings';
import { createShipProtocol } from '@antelope-history/ship';
import { ABI, Serializer } from '@wharfkit/antelope';
import { deserializeBlock } from '../src/index';
import type { BlockRecords } from '@antelope-history/records';

/** A message of a recording: its block of records, and the values that wharfkit decodes from the same bytes. */
export interface RecordedBlock {
  records: BlockRecords;
  traces: WharfkitTrace[];
  receipts: WharfkitReceipt[];
  deltas: WharfkitDelta[];
}

export interface WharfkitTrace {
  id: string;
  status: number;
  cpu_usage_us: number;
  net_usage_words: number;
  action_traces: WharfkitAction[];
  failed_dtrx_trace: WharfkitTrace | null;
  partial: (WharfkitHeader & { signatures: string[] }) | null;
}

export interface WharfkitHeader {
  expiration: string;
  ref_block_num: number;
  ref_block_prefix: number;
  max_net_usage_words: number;
  max_cpu_usage_ms: number;
  delay_sec: number;
}

export interface WharfkitAction {
  action_ordinal: number;
  creator_action_ordinal: number;
  receipt: {
    receiver: string;
    act_digest: string;
    global_sequence: number;
    recv_sequence: number | string;
    auth_sequence: { account: string; sequence: number | string }[];
    code_sequence: number;
    abi_sequence: number;
  } | null;
  receiver: string;
  act: WharfkitAct;
  context_free: boolean;
  elapsed: number | string;
  console: string;
  account_ram_deltas: { account: string; delta: number | string }[];
  except: string | null;
  error_code: number | string | null;
  return_value?: string;
}

export interface WharfkitAct {
  account: string;
  name: string;
  authorization: { actor: string; permission: string }[];
  /** Hex. */
  data: string;
}

export interface WharfkitReceipt {
  status: number;
  cpu_usage_us: number;
  net_usage_words: number;
  id: string;
  /** The actions of a packed transaction, context-free ones first; undefined where the block has only the id. */
  actions: WharfkitAct[] | undefined;
}

export interface WharfkitDelta {
  name: string;
  rows: { present: boolean; row: Record<string, unknown> }[];
}

/** Every message of a recording that has a block, orphaned blocks included. */
export function* recordedBlocks(recording: Recording): Generator<RecordedBlock> {
  const protocol = createShipProtocol(recording.abi);
  const abi = ABI.from(recording.abi);
  const decode = (type: string, data: Uint8Array | string): unknown =>
    Serializer.objectify(Serializer.decode({ data, type, abi, ignoreInvalidUTF8: true }));
  for (const { bytes } of recording.messages) {
    const result = protocol.readResult(bytes);
    if (result.kind !== 'blocks') continue;
    const { block, traces, deltas } = result.blocks;
    yield {
      records: deserializeBlock(result.blocks, protocol),
      traces: traces ? (decode('transaction_trace[]', traces) as Tagged[]).map(flattenTrace) : [],
      receipts: block
        ? (decode('signed_block', block) as PackedBlock).transactions.map((each) => unpack(each, decode))
        : [],
      deltas: deltas
        ? (decode('table_delta[]', deltas) as PackedDelta[]).map(([, delta]) => stateRows(delta, decode))
        : [],
    };
  }
}

type Tagged = [type: string, value: unknown];
type Decode = (type: string, data: Uint8Array | string) => unknown;

interface PackedBlock {
  transactions: PackedReceipt[];
}

interface PackedReceipt {
  status: number;
  cpu_usage_us: number;
  net_usage_words: number;
  trx: ['transaction_id', string] | ['packed_transaction', { compression: number; packed_trx: string }];
}

type PackedDelta = [string, { name: string; rows: { present: boolean; data: string }[] }];

/** Removes the names of variant alternatives from a trace. */
function flattenTrace([, value]: Tagged): WharfkitTrace {
  const trace = value as Record<'action_traces', Tagged[]> & Record<'failed_dtrx_trace' | 'partial', Tagged | null>;
  return {
    ...(value as WharfkitTrace),
    action_traces: trace.action_traces.map(([, action]) => {
      const { receipt } = action as { receipt: Tagged | null };
      return { ...(action as WharfkitAction), receipt: (receipt?.[1] ?? null) as WharfkitAction['receipt'] };
    }),
    failed_dtrx_trace: trace.failed_dtrx_trace && flattenTrace(trace.failed_dtrx_trace),
    partial: (trace.partial?.[1] ?? null) as WharfkitTrace['partial'],
  };
}

function unpack({ trx, ...header }: PackedReceipt, decode: Decode): WharfkitReceipt {
  if (trx[0] === 'transaction_id') return { ...header, id: trx[1], actions: undefined };
  const packed = Buffer.from(trx[1].packed_trx, 'hex');
  const plain = trx[1].compression === 1 ? inflateSync(packed) : packed;
  const { context_free_actions, actions } = decode('transaction', plain) as Record<string, WharfkitAct[]>;
  return {
    ...header,
    id: createHash('sha256').update(plain).digest('hex'),
    actions: [...(context_free_actions ?? []), ...(actions ?? [])],
  };
}

/** The decoded rows of the tables that the deserializer reads. */
function stateRows({ name, rows }: PackedDelta[1], decode: Decode): WharfkitDelta {
  if (name !== 'account' && name !== 'permission') return { name, rows: [] };
  return {
    name,
    rows: rows.map(({ present, data }) => ({
      present,
      row: (decode(name, data) as Tagged)[1] as Record<string, unknown>,
    })),
  };
}
