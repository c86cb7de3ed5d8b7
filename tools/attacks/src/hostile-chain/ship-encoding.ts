import { createHash } from 'node:crypto';
import type { BlockPosition } from '@antelope-history/schemas';
import { ByteWriter } from './byte-writer';
import type { ExecutedTrace } from './executed-trace';
import type { ActionSpec, PermissionSpec } from './specs';

/**
 * The layouts of Leap 4's state history ABI (libraries/state_history/abi.cpp), which `ship.abi.json` of the recording
 * describes. Variants are written with the tag of their only alternative, `action_trace` with that of v1.
 */
export interface TransactionTrace {
  id: string;
  status: number;
  cpuUsageUs: number;
  netUsageWords: number;
  actions: ExecutedTrace[];
}

export interface MessageParts {
  head: BlockPosition;
  lastIrreversible: BlockPosition;
  thisBlock: BlockPosition;
  prevBlock: BlockPosition;
  block: Buffer;
  traces: Buffer;
  deltas: Buffer;
}

const BLOCKS_RESULT = 1;
const ACTION_TRACE_V1 = 1;
const ONLY_ALTERNATIVE = 0;
const ABSENT = 0;
const PRESENT = 1;

export function digestOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

export function packAction(writer: ByteWriter, { account, name, authorization = [], data }: ActionSpec): void {
  writer.name(account).name(name);
  writer.list(authorization, ({ actor, permission }) => writer.name(actor).name(permission));
  writer.blob(data);
}

/** A packed `transaction_trace[]`, and the digests of the receipts in it, in the order of their global sequences. */
export function packTraces(traces: readonly TransactionTrace[]): { packed: Buffer; receiptDigests: Buffer[] } {
  const writer = new ByteWriter();
  const digested: { sequence: number; digest: Buffer }[] = [];
  writer.list(traces, (trace) => {
    writer.varuint(ONLY_ALTERNATIVE).hex(trace.id).uint8(trace.status);
    writer
      .uint32(trace.cpuUsageUs)
      .varuint(trace.netUsageWords)
      .uint64(0)
      .uint64(trace.netUsageWords * 8)
      .uint8(0);
    /** Of the traces without a return value: the notifications of an action share it. */
    const digests = new Map<ActionSpec, string>();
    writer.list(trace.actions, (action) => {
      digested.push({ sequence: action.globalSequence, digest: packActionTrace(writer, action, digests) });
    });
    for (let option = 0; option < 5; option++) writer.uint8(ABSENT); // account_ram_delta, except, error_code, failed, partial
  });
  digested.sort((left, right) => left.sequence - right.sequence);
  return { packed: writer.take(), receiptDigests: digested.map(({ digest }) => digest) };
}

/** Returns the digest of the receipt. */
function packActionTrace(writer: ByteWriter, trace: ExecutedTrace, digests: Map<ActionSpec, string>): Buffer {
  const { spec, receiver } = trace;
  const isOwn = receiver === spec.account;
  const returnValue = (isOwn && spec.returnValue) || EMPTY;
  const digest = (returnValue === EMPTY && digests.get(spec)) || actDigestOf(spec, returnValue);
  if (returnValue === EMPTY) digests.set(spec, digest);
  writer.varuint(ACTION_TRACE_V1).varuint(trace.ordinal).varuint(trace.creatorOrdinal);
  writer.uint8(PRESENT).varuint(ONLY_ALTERNATIVE);
  const receiptAt = writer.offset;
  writer.name(receiver).hex(digest);
  writer.uint64(trace.globalSequence).uint64(trace.recvSequence);
  writer.list(trace.authSequence, ([account, sequence]) => writer.name(account).uint64(sequence));
  writer.varuint(trace.codeSequence).varuint(trace.abiSequence);
  const receiptDigest = digestOf(writer.since(receiptAt));
  writer.name(receiver);
  packAction(writer, spec);
  writer.uint8(trace.contextFree ? 1 : 0).uint64(0);
  writer.blob(spec.console ?? EMPTY);
  writer.list(isOwn ? (spec.ramDeltas ?? []) : [], (account) => writer.name(account).uint64(-128n));
  writer.uint8(ABSENT).uint8(ABSENT); // except, error_code
  writer.blob(returnValue);
  return receiptDigest;
}

const EMPTY = Buffer.alloc(0);

/** The digest of an action as it is with the feature ACTION_RETURN_VALUE (action.hpp, generate_action_digest). */
function actDigestOf({ account, name, authorization = [], data }: ActionSpec, returnValue: Buffer): string {
  const base = new ByteWriter().name(account).name(name);
  base.list(authorization, ({ actor, permission }) => base.name(actor).name(permission));
  const result = new ByteWriter().blob(data).blob(returnValue);
  const both = new ByteWriter().raw(digestOf(base.since(0))).raw(digestOf(result.since(0)));
  return digestOf(both.since(0)).toString('hex');
}

export interface Deltas {
  /** By account, the ABI that it has after the block. */
  abis: ReadonlyMap<string, Buffer>;
  permissions: readonly PermissionSpec[];
}

/** A packed `table_delta[]` with the rows of the `account` and `permission` tables. */
export function packDeltas({ abis, permissions }: Deltas): Buffer {
  const tables: [string, [present: boolean, row: Buffer][]][] = [];
  if (abis.size > 0) tables.push(['account', [...abis].map(([account, abi]) => [true, packAccountRow(account, abi)])]);
  if (permissions.length > 0) {
    tables.push(['permission', permissions.map((row) => [row.present ?? true, packPermissionRow(row)])]);
  }
  const writer = new ByteWriter();
  writer.list(tables, ([table, rows]) => {
    writer.varuint(ONLY_ALTERNATIVE).text(table);
    writer.list(rows, ([present, row]) => writer.uint8(present ? 1 : 0).blob(row));
  });
  return writer.take();
}

function packAccountRow(account: string, abi: Buffer): Buffer {
  return new ByteWriter().varuint(ONLY_ALTERNATIVE).name(account).uint32(0).blob(abi).take();
}

function packPermissionRow({ owner, name, parent, keys, accounts }: PermissionSpec): Buffer {
  const writer = new ByteWriter().varuint(ONLY_ALTERNATIVE).name(owner).name(name).name(parent).uint64(0);
  writer.uint32(1); // threshold
  writer.list(keys, (key) => writer.raw(key).uint16(1));
  writer.list(accounts, ({ actor, permission }) => writer.name(actor).name(permission).uint16(1));
  return writer.varuint(0).take();
}

/** A packed `get_blocks_result_v0`. */
export function packMessage(parts: MessageParts): Buffer {
  const writer = new ByteWriter();
  const position = ({ num, id }: BlockPosition): unknown => writer.uint32(num).hex(id);
  writer.varuint(BLOCKS_RESULT);
  position(parts.head);
  position(parts.lastIrreversible);
  for (const optional of [parts.thisBlock, parts.prevBlock]) {
    writer.uint8(PRESENT);
    position(optional);
  }
  for (const payload of [parts.block, parts.traces, parts.deltas]) writer.uint8(PRESENT).blob(payload);
  return writer.take();
}
