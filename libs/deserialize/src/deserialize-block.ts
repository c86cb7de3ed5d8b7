import { ByteReader, readName } from '@antelope-history/abi';
import {
  RecordWriter,
  type AbiChange,
  type ActionEntry,
  type BlockRecords,
  type PartialTransaction,
  type PermissionChange,
  type RawBlock,
  type TransactionRecord,
} from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import {
  assertWhole,
  readSignedBlock,
  SenderReader,
  type ActionTraceView,
  type BlocksResult,
  type ShipProtocol,
  type TransactionReceipt,
  type TransactionTraceView,
} from '@antelope-history/ship';
import { ActionRecordEncoder, type PlacedTrace } from './action-record-encoder';

/** Statuses of transaction traces and of receipts (nodeos transaction_receipt_header::status_enum). */
export const TRANSACTION_STATUS = { executed: 0, softFail: 1, hardFail: 2, delayed: 3, expired: 4 } as const;

const NO_ORIGIN: Pick<RawBlock, 'chainId' | 'streamPosition'> = {
  chainId: undefined,
  streamPosition: { epoch: 0, sequence: 0 },
};

/**
 * Deserializes a SHiP result, which must have `thisBlock`, into a block of records. Action data stays packed, except for the two
 * fields of `eosio::setabi`, whose layout the chain defines. `chainId` and `streamPosition` are copied into the records.
 *
 * Throws `DECODE_FAILED` when the payloads do not match the node's ABI, and `SHIP_DATA_MISSING` when the node left out traces
 * or a block that complete responses need.
 */
export function deserializeBlock(
  result: BlocksResult,
  protocol: ShipProtocol,
  { chainId, streamPosition }: Pick<RawBlock, 'chainId' | 'streamPosition'> = NO_ORIGIN,
): BlockRecords {
  const position = result.thisBlock;
  if (!position) throw new HistoryError('DECODE_FAILED', 'the result has no block position');
  // The whole block is read, so that a block which cannot be read later is refused here: no id and no root covers its last fields.
  const receipts = result.block ? readSignedBlock(result.block).receipts : [];
  // Only the first block of a log, which names no previous one, may lack parts: that of genesis or of a snapshot.
  if (result.prevBlock) assertWhole(result, position.num);
  if (receipts.length > 0 && !result.traces) {
    throw new HistoryError('SHIP_DATA_MISSING', `the node has no traces for block ${position.num}`);
  }
  const traces = new TraceCollector(receipts, result.block !== undefined, position.num);
  if (result.traces) traces.collect(result.traces, protocol);
  const state = new StateCollector(traces.abiChanges);
  if (result.deltas) protocol.readDeltas(result.deltas, state);
  return {
    chainId,
    streamPosition,
    head: result.head,
    lastIrreversible: result.lastIrreversible,
    position,
    previous: result.prevBlock,
    block: result.block && detached(result.block),
    timestamp: result.block ? result.block.readUInt32LE(0) : 0,
    generation: protocol.generation,
    hasTraces: result.traces !== undefined,
    actionRoot: result.actionRoot,
    rootSequences: traces.rootSequences(),
    transactions: traces.transactions,
    abiChanges: [...traces.abiChanges, ...state.abiChanges()],
    permissionChanges: state.permissionChanges(),
  };
}

/** Copies a small view: queues count the bytes of the records, but a view keeps its whole message in memory. */
function detached(bytes: Buffer): Buffer {
  return bytes.length * 2 > bytes.buffer.byteLength ? bytes : Buffer.from(bytes);
}

/** Collects the records of a block's transaction traces. */
class TraceCollector {
  readonly transactions: TransactionRecord[] = [];
  readonly abiChanges: AbiChange[] = [];
  private readonly roots: (number[] | undefined)[] = [];
  private readonly nextSequenceAt: number[] = [];
  /** The global sequence after the last executed transaction; 1 = none was executed in this block yet. */
  private nextSequence = 1;

  constructor(
    private readonly receipts: TransactionReceipt[],
    private readonly hasBlock: boolean,
    private readonly blockNum: number,
  ) {}

  collect(bytes: Buffer, protocol: ShipProtocol): void {
    const count = new ByteReader(bytes).varuint32();
    if (count > 0 && !this.hasBlock) {
      throw new HistoryError('SHIP_DATA_MISSING', `the node has traces but no block ${this.blockNum}`);
    }
    // nodeos writes the trace of onblock, if it succeeded, and then one trace per receipt of the block, in block order.
    const implicit = count - this.receipts.length;
    if (implicit !== 0 && implicit !== 1) {
      throw new HistoryError('DECODE_FAILED', `${count} traces for ${this.receipts.length} receipts`);
    }
    const writer = new RecordWriter(bytes.length);
    const encoder = new ActionRecordEncoder(writer);
    let index = 0;
    protocol.readTraces(bytes, (trace) => this.addTransaction(trace, bytes, index++ - implicit, { writer, encoder }));
  }

  /** See `StoredBlock.rootSequences`. */
  rootSequences(): number[][] {
    return this.receipts.map((_, index) => this.roots[index] ?? [this.nextSequenceAt[index] ?? this.nextSequence]);
  }

  private addTransaction(trace: TransactionTraceView, bytes: Buffer, receiptIndex: number, output: RecordOutput): void {
    if (receiptIndex >= 0) this.nextSequenceAt[receiptIndex] = this.nextSequence;
    if (trace.status !== TRANSACTION_STATUS.executed || trace.actionCount === 0) return;
    const range = sequenceRange(trace);
    if (range.first < this.nextSequence) {
      throw new HistoryError('DECODE_FAILED', `sequence ${range.first} follows sequence ${this.nextSequence - 1}`);
    }
    const groups = groupByAction(trace, bytes);
    const actions = groups.map((group) => this.addAction(group, bytes, range.first, output));
    actions.sort((left, right) => left.sequence - right.sequence);
    if (receiptIndex >= 0) {
      this.roots[receiptIndex] = groups.filter(isRoot).map((group) => ownTrace(group).globalSequence);
    }
    this.nextSequence = range.first + range.count;
    const receipt = this.receipts[receiptIndex];
    this.transactions.push({
      id: Buffer.from(bytes.subarray(trace.idAt, trace.idAt + 32)),
      receiptIndex,
      status: receipt?.status ?? trace.status,
      cpuUsageUs: receipt?.cpuUsageUs ?? trace.cpuUsageUs,
      netUsageWords: receipt?.netUsageWords ?? trace.netUsageWords,
      firstSequence: range.first,
      sequenceCount: range.count,
      partial: receipt && 'packed' in receipt.transaction ? undefined : partialOf(trace, bytes),
      actions,
    });
  }

  private addAction(
    group: PlacedTrace[],
    bytes: Buffer,
    firstSequence: number,
    { writer, encoder }: RecordOutput,
  ): ActionEntry {
    const own = ownTrace(group);
    assertConsecutive(group);
    const start = writer.offset;
    encoder.encode(bytes, group, firstSequence);
    const account = readName(bytes, own.accountAt);
    const name = readName(bytes, own.nameAt);
    if (name === 'setabi' && account === SYSTEM_ACCOUNT && readName(bytes, own.receiverAt) === SYSTEM_ACCOUNT) {
      this.addAbi(own, bytes);
    }
    return {
      sequence: own.globalSequence,
      account,
      name,
      root: own.creatorOrdinal === 0,
      accounts: accountsOf(group, bytes),
      bytes: writer.view(start),
    };
  }

  private addAbi(setabi: ActionTraceView, bytes: Buffer): void {
    // The node has executed this setabi, so the bytes are valid; SenderReader accepts the same non-canonical encodings as nodeos.
    const reader = new SenderReader(bytes, setabi.dataAt, setabi.dataEnd);
    const account = reader.name();
    this.abiChanges.push({ account, sequence: setabi.globalSequence, abi: Buffer.from(reader.lengthPrefixed()) });
  }
}

/** Where the records of a block's actions are written. */
interface RecordOutput {
  writer: RecordWriter;
  encoder: ActionRecordEncoder;
}

/** The account whose actions the chain implements natively (nodeos config::system_account_name). */
const SYSTEM_ACCOUNT = 'eosio';

const ownTrace = (group: PlacedTrace[]): ActionTraceView => (group[0] as PlacedTrace).view;
const isRoot = (group: PlacedTrace[]): boolean => ownTrace(group).creatorOrdinal === 0;

/**
 * Groups traces by action, in ascending order of ordinal: the contract's own trace and its notifications. A notification is a
 * trace that has a creator and whose receiver is not the contract. `onerror` has no creator and is received by the sender of the
 * failed transaction; it is an action of its own (nodeos apply_context.cpp, schedule_action).
 */
function groupByAction(trace: TransactionTraceView, bytes: Buffer): PlacedTrace[][] {
  const groups: PlacedTrace[][] = [];
  const groupOf: PlacedTrace[][] = [];
  for (let index = 0; index < trace.actionCount; index++) {
    const view = trace.actions[index] as ActionTraceView;
    if (view.ordinal !== index + 1 || view.creatorOrdinal > index || !view.hasReceipt) {
      throw new HistoryError(
        'DECODE_FAILED',
        `action ${index + 1} of an executed transaction has a wrong ordinal, a later creator or no receipt`,
      );
    }
    const creator = view.creatorOrdinal === 0 ? undefined : (groupOf[view.creatorOrdinal - 1] as PlacedTrace[]);
    const placed = { view, closestUnnotifiedAncestorOrdinal: creator ? ownTrace(creator).ordinal : 0 };
    if (creator && !equalNames(bytes, view.receiverAt, view.accountAt)) {
      creator.push(placed);
      groupOf.push(creator);
    } else {
      const group = [placed];
      groups.push(group);
      groupOf.push(group);
    }
  }
  return groups;
}

function equalNames(bytes: Buffer, left: number, right: number): boolean {
  for (let index = 0; index < 8; index++) if (bytes[left + index] !== bytes[right + index]) return false;
  return true;
}

/** Every executed action takes the next global sequence, so those of a transaction are contiguous (apply_context.cpp). */
function sequenceRange(trace: TransactionTraceView): { first: number; count: number } {
  let first = Number.MAX_SAFE_INTEGER;
  let last = 0;
  for (let index = 0; index < trace.actionCount; index++) {
    const sequence = (trace.actions[index] as ActionTraceView).globalSequence;
    if (sequence < first) first = sequence;
    if (sequence > last) last = sequence;
  }
  const count = last - first + 1;
  if (count !== trace.actionCount) {
    throw new HistoryError('DECODE_FAILED', `${trace.actionCount} actions have the sequences ${first} to ${last}`);
  }
  return { first, count };
}

/** A chain executes the notifications of an action right after it (apply_context.cpp, exec), before its inline actions. */
function assertConsecutive(group: readonly PlacedTrace[]): void {
  for (let index = 1; index < group.length; index++) {
    const [before, after] = [group[index - 1] as PlacedTrace, group[index] as PlacedTrace];
    if (after.view.globalSequence === before.view.globalSequence + 1) continue;
    throw new HistoryError(
      'DECODE_FAILED',
      `the notification with sequence ${after.view.globalSequence} follows sequence ${before.view.globalSequence}`,
    );
  }
}

/** The receivers and authorizers of an action, each once. */
function accountsOf(group: PlacedTrace[], bytes: Buffer): string[] {
  const accounts: string[] = [];
  for (const { view } of group) accounts.push(readName(bytes, view.receiverAt));
  const own = ownTrace(group);
  const first = own.authorizationEnd - ((own.authorizationEnd - own.authorizationAt) & ~15);
  for (let at = first; at < own.authorizationEnd; at += 16) accounts.push(readName(bytes, at));
  return accounts.length <= MAX_SEARCHED ? accounts.filter(isFirst) : [...new Set(accounts)];
}

/** Up to this length a list is searched faster than a set is built; a hostile action names thousands of accounts. */
const MAX_SEARCHED = 16;
const isFirst = (name: string, index: number, names: string[]): boolean => names.indexOf(name) === index;

function partialOf(trace: TransactionTraceView, bytes: Buffer): PartialTransaction | undefined {
  // The trace of onerror contains the failed deferred transaction's own trace, which has its header and signatures.
  const source = trace.failed ?? trace;
  if (!source.partial) return undefined;
  const { signatures, ...header } = source.partial;
  return {
    ...header,
    id: bytes.subarray(source.idAt, source.idAt + 32).toString('hex'),
    signatures: signatures.map((signature) => Buffer.from(signature)),
  };
}

/** Collects the ABIs and permissions of the deltas; of several rows with the same key the last one counts. */
class StateCollector {
  private readonly abis = new Map<string, Buffer>();
  private readonly permissions = new Map<string, PermissionChange>();
  private readonly setInActions = new Map<string, AbiChange>();

  constructor(setInActions: AbiChange[]) {
    for (const change of setInActions) this.setInActions.set(change.account, change);
  }

  account(row: { name: string; abi: Buffer }): void {
    this.abis.set(row.name, row.abi);
  }

  permission(row: { present: boolean; owner: string; name: string; keys: Buffer[]; actors: string[] }): void {
    // nodeos reserves the permission with id 0, which has no owner (authorization_manager.cpp).
    if (row.owner === '') return;
    const authority = row.present ? { keys: row.keys.map((key) => Buffer.from(key)), actors: row.actors } : undefined;
    this.permissions.set(`${row.owner}@${row.name}`, { owner: row.owner, name: row.name, authority });
  }

  /** The ABIs that were not set by an action of the block: those of genesis and of a snapshot. */
  abiChanges(): AbiChange[] {
    const changes: AbiChange[] = [];
    for (const [account, abi] of this.abis) {
      if (abi.length === 0 || this.setInActions.has(account)) continue;
      changes.push({ account, sequence: 0, abi: Buffer.from(abi) });
    }
    return changes;
  }

  permissionChanges(): PermissionChange[] {
    return [...this.permissions.values()];
  }
}
