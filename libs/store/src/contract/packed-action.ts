import { writeName } from '@antelope-history/abi';
import { actDigest, DIGEST_BYTES, RecordWriter, type ActionEntry } from '@antelope-history/records';
import { ActionRecordEncoder } from '@antelope-history/deserialize';
import { ActionTraceView } from '@antelope-history/ship';

/** The plan of a synthetic action; each receiver takes a sequence. */
export interface ActionPlan {
  account: string;
  name: string;
  actor: string;
  notified: string[];
  /** The distance in traces to the trace that created it; 0 = a root action. */
  creatorDistance: number;
  /** If the actions of the transaction are not executed in the order of their ordinals, as nested inline actions are not. */
  ordinal?: number;
  dataBytes: number;
  /** In place of `dataBytes` bytes. */
  data?: Buffer | undefined;
}

/** The position of an action in its transaction. */
interface ActionPosition {
  ordinal: number;
  sequence: number;
  firstSequence: number;
  /** How many ABIs the contract had had. */
  abiSequence: number;
}

/** Packs an action as the deserializer does: by views on bytes in the chain's format. */
export function packAction(plan: ActionPlan, position: ActionPosition): ActionEntry {
  const source = new RecordWriter(512 + plan.dataBytes);
  const creatorOrdinal = plan.creatorDistance === 0 ? 0 : Math.max(0, position.ordinal - plan.creatorDistance);
  const receivers = [plan.account, ...plan.notified];
  const views = receivers.map((receiver, index) =>
    packTrace(source, plan, receiver, sequencesOf(position, index), {
      ordinal: position.ordinal + index,
      creatorOrdinal: index === 0 ? creatorOrdinal : position.ordinal,
      globalSequence: position.sequence + index,
      abiSequence: position.abiSequence,
    }),
  );
  const record = new RecordWriter(256 + plan.dataBytes);
  const traces = views.map((view) => ({ view, closestUnnotifiedAncestorOrdinal: view.creatorOrdinal }));
  new ActionRecordEncoder(record).encode(source.view(0), traces, position.firstSequence);
  return {
    sequence: position.sequence,
    account: plan.account,
    name: plan.name,
    root: creatorOrdinal === 0,
    accounts: [...new Set([...receivers, plan.actor])],
    bytes: record.view(0),
  };
}

/** Every third action has sequences that no chain reaches, so that its record has its receipts as a whole. */
function sequencesOf({ sequence }: ActionPosition, index: number): { received: Buffer; authorized: Buffer } {
  const received = Buffer.alloc(8, 1);
  const authorized = Buffer.alloc(8, 1);
  if (sequence % 3 === 0) return { received, authorized };
  received.writeBigUInt64LE(BigInt(sequence + 5 * index));
  authorized.writeBigUInt64LE(BigInt(sequence + index));
  return { received, authorized };
}

function packTrace(
  source: RecordWriter,
  plan: ActionPlan,
  receiver: string,
  { received, authorized }: { received: Buffer; authorized: Buffer },
  at: Pick<ActionTraceView, 'ordinal' | 'creatorOrdinal' | 'globalSequence' | 'abiSequence'>,
): ActionTraceView {
  const view = new ActionTraceView();
  Object.assign(view, at, { hasReceipt: true, codeSequence: 1 });
  view.receiverAt = packName(source, receiver);
  view.accountAt = packName(source, plan.account);
  view.nameAt = packName(source, plan.name);
  view.authorizationAt = packCount(source, 1);
  packName(source, plan.actor);
  view.authorizationEnd = packName(source, 'active') + 8;
  view.dataAt = plan.data ? packBytes(source, plan.data) : packFilled(source, plan.dataBytes, at.globalSequence);
  view.dataEnd = source.offset;
  view.actDigestAt = packBytes(source, digestOf(source.view(0), view, at.ordinal));
  view.recvSequenceAt = packBytes(source, received);
  view.authSequenceAt = packCount(source, 1);
  packName(source, plan.actor);
  view.authSequenceEnd = packBytes(source, authorized) + authorized.length;
  view.elapsedAt = packFilled(source, 8, 0);
  view.ramDeltasAt = packCount(source, 0);
  view.ramDeltasEnd = source.offset;
  return view;
}

/** Actions at even ordinals have the digest that a chain gives them, others an arbitrary one. */
function digestOf(source: Buffer, view: ActionTraceView, ordinal: number): Buffer {
  if (ordinal % 2 === 1) return Buffer.alloc(DIGEST_BYTES, ordinal);
  const base = source.subarray(view.accountAt, view.authorizationEnd);
  return Buffer.from(actDigest(base, source.subarray(view.dataAt, view.dataEnd), NOTHING), 'latin1');
}

const NOTHING = Buffer.alloc(0);

function packName(source: RecordWriter, name: string): number {
  const packed = Buffer.alloc(8);
  writeName(name, packed, 0);
  return packBytes(source, packed);
}

function packFilled(source: RecordWriter, length: number, value: number): number {
  return packBytes(source, Buffer.alloc(length, value & 0xff));
}

function packCount(source: RecordWriter, count: number): number {
  const start = source.offset;
  source.varuint(count);
  return start;
}

function packBytes(source: RecordWriter, bytes: Buffer): number {
  const start = source.offset;
  source.copy(bytes, 0, bytes.length);
  return start;
}
