import { type AbiDecoder, blockTimestampToString } from '@antelope-history/abi';
import { JsonFragment, jsonText, JsonWriter } from '@antelope-history/json';
import type { ActionRecord, ActionTrace, PermissionLevel } from '@antelope-history/records';
import {
  type AbiDecoders,
  AbiRequestSet,
  addReserves,
  decodeReturnValue,
  NO_SIZE,
  ownTrace,
  NOTHING_FOLLOWS,
  type PartRenderer,
  printParts,
  renderStatus,
  type Reserve,
  reserveFor,
  type ResponseBudget,
  toHex,
  tracesInOrder,
  undecodedActBytes,
  writeInteger64,
  writeSignatures,
  writeTransactionHeader,
} from '@antelope-history/responses';
import {
  readBlockHeader,
  readPackedTransaction,
  readReceipts,
  readTransactionHeader,
  type TransactionHeader,
  type TransactionReceipt,
} from '@antelope-history/ship';
import type { AbiRequest, ChainStatus, StoredBlock, StoredBlockTransaction } from '@antelope-history/store';
import type { GetTraceBlockResponse } from '@antelope-history/trace-routes';

type TransactionsJson = GetTraceBlockResponse['transactions'];

/** A block with its traces as the store returns it. */
export interface StoredBlockTraces {
  status: ChainStatus;
  block: StoredBlock;
  transactions: StoredBlockTransaction[];
}

/** The ABIs that `renderBlockTraces` needs. */
export function abisOfBlockTraces({ block, transactions }: StoredBlockTraces): AbiRequest[] {
  const requests = new AbiRequestSet();
  for (const { actions } of transactions) {
    for (const action of shownActions(actions)) requests.addAction(action, block.position.num);
  }
  return requests.list();
}

/**
 * Renders a block field by field as the trace plugin of its node does (nodeos plugins/trace_api_plugin/request_handler.cpp):
 * for EOSIO 2.0 without block fields and return values of transactions. Actions that do not fit the budget decoded are
 * printed without `params`. Yields between traces.
 */
export function* renderBlockTraces(
  traces: StoredBlockTraces,
  decoders: AbiDecoders,
  budget: ResponseBudget,
): Generator<void, GetTraceBlockResponse> {
  const { status, block, transactions } = traces;
  const header = readBlockHeader(block.block);
  const receipts = readReceipts(block.block);
  const { num, id } = block.position;
  const blockTime = blockTimestampToString(header.timestamp);
  const place = isSince21(block) ? `,"block_num":${num},"block_time":"${blockTime}","producer_block_id":"${id}"` : '';
  const out = new JsonWriter();
  yield* writeTransactions(out, transactions, receipts, { block, place: jsonText(place), decoders, budget });
  return {
    id,
    number: num,
    previous_id: header.previous,
    status: num <= (status.lastIrreversible?.num ?? 0) ? 'irreversible' : 'pending',
    timestamp: `${blockTime}Z`,
    producer: header.producer,
    transaction_mroot: header.transactionMroot,
    action_mroot: header.actionMroot,
    schedule_version: header.scheduleVersion,
    transactions: new JsonFragment<TransactionsJson>(out.pieces()).inPlace(),
  };
}

function isSince21({ generation }: StoredBlock): boolean {
  return generation === 'eosio-2.1+';
}

interface BlockContext {
  block: StoredBlock;
  /** The fields of a transaction that say where its block is, each after a comma; empty where the node had none. */
  place: Buffer;
  decoders: AbiDecoders;
  budget: ResponseBudget;
}

/** Bytes of a transaction's id, header, usage and field names; its signatures are counted separately. */
const TRANSACTION_FRAME_BYTES = 1024;

function* writeTransactions(
  out: JsonWriter,
  transactions: StoredBlockTransaction[],
  receipts: TransactionReceipt[],
  context: BlockContext,
): Generator<void, void> {
  const renderer = createTraceRenderer(isSince21(context.block), context.budget);
  const prepared = transactions.map(({ record, actions }) => {
    const traces = tracesOf(actions, context);
    const end = new TransactionEnd(record, receipts[record.receiptIndex]);
    return { record, traces, reserve: reserveFor(traces, renderer), end };
  });
  const after = {
    ...prepared.flatMap(({ reserve, end }) => [reserve, end.reserve]).reduce(addReserves, NOTHING_FOLLOWS),
  };
  out.raw('[');
  for (const [index, { record, traces, reserve, end }] of prepared.entries()) {
    subtractReserve(after, reserve);
    if (index > 0) out.raw(',');
    out
      .bytes(ID)
      .raw(record.partial?.id ?? toHex(record.id))
      .raw('"')
      .bytes(context.place)
      .bytes(ACTIONS);
    yield* printParts(out, traces, renderer, context.budget, after);
    yield* end.write(out.raw(']'), context.budget);
    subtractReserve(after, end.reserve);
    if (context.budget.isPauseDue()) yield;
  }
  out.raw(']');
}

function subtractReserve(from: Reserve, reserve: Reserve): void {
  from.undecodedBytes -= reserve.undecodedBytes;
  from.omittedBytes -= reserve.omittedBytes;
}

/** The fields of a transaction after its actions, which cannot be left out. */
class TransactionEnd {
  private readonly signed: SignedHeader;

  constructor(
    private readonly record: StoredBlockTransaction['record'],
    receipt: TransactionReceipt | undefined,
  ) {
    this.signed = signedHeaderOf(record, receipt);
  }

  private get bytes(): number {
    return TRANSACTION_FRAME_BYTES + this.signed.signatures.reduce((bytes, { length }) => bytes + 2 * length, 0);
  }

  get reserve(): Reserve {
    return { undecodedBytes: this.bytes, omittedBytes: this.bytes };
  }

  *write(out: JsonWriter, budget: ResponseBudget): Generator<void, void> {
    budget.take(this.bytes);
    const { status, cpuUsageUs, netUsageWords } = this.record;
    out.bytes(STATUS).raw(renderStatus(status)).bytes(CPU_USAGE).integer(cpuUsageUs);
    out.bytes(NET_USAGE).integer(netUsageWords).bytes(SIGNATURES);
    out.raw(yield* writeSignatures(this.signed.signatures, budget));
    out.bytes(TRANSACTION_HEADER).raw(writeTransactionHeader(this.signed.header)).raw('}}');
  }
}

const ID = jsonText('{"id":"');
const ACTIONS = jsonText(',"actions":[');
const STATUS = jsonText(',"status":"');
const CPU_USAGE = jsonText('","cpu_usage_us":');
const NET_USAGE = jsonText(',"net_usage_words":');
const SIGNATURES = jsonText(',"signatures":');
const TRANSACTION_HEADER = jsonText(',"transaction_header":{');

interface SignedHeader {
  header: TransactionHeader;
  signatures: Buffer[];
}

const NO_HEADER: TransactionHeader = {
  expiration: 0,
  refBlockNum: 0,
  refBlockPrefix: 0,
  maxNetUsageWords: 0,
  maxCpuUsageMs: 0,
  delaySec: 0,
};

/** Header and signatures from the block if it lists the transaction, otherwise from the SHiP trace. */
function signedHeaderOf(
  { partial }: StoredBlockTransaction['record'],
  receipt: TransactionReceipt | undefined,
): SignedHeader {
  if (partial) return { header: partial, signatures: partial.signatures };
  if (!receipt || 'id' in receipt.transaction) return { header: NO_HEADER, signatures: [] };
  const packed = readPackedTransaction(receipt.transaction.packed);
  return { header: readTransactionHeader(packed), signatures: packed.signatures };
}

/** The actions that the trace plugin shows: all but context-free ones. */
function shownActions(actions: ActionRecord[]): ActionRecord[] {
  return actions.filter((action) => !action.contextFree);
}

interface TracePart {
  of: SharedAct;
  trace: ActionTrace;
}

/** The traces of a transaction's actions in execution order. */
function tracesOf(actions: ActionRecord[], { block, decoders, budget }: BlockContext): TracePart[] {
  const shown = shownActions(actions).map((action) => {
    const decoder = decoders.at(action.account, block.position.num, ownTrace(action).receipt.globalSequence);
    return new SharedAct(action, decoder, budget);
  });
  return tracesInOrder(shown);
}

const PARAMS = jsonText(',"params":');
const NULL = 'null';

/** Whether what was written from `start` on is null. */
function isNull(out: JsonWriter, start: number): boolean {
  return out.length - start === NULL.length && out.copyFrom(start).toString('latin1') === NULL;
}

/** An action with the fields that its traces share, which are decoded and written once. */
class SharedAct {
  /** Size of the decoded data; `NO_SIZE` before they are decoded. */
  decodedSize = NO_SIZE;
  private paramsText: Buffer | undefined;
  private fieldsText: Buffer | undefined;

  constructor(
    readonly action: ActionRecord,
    readonly decoder: AbiDecoder | undefined,
    private readonly budget: ResponseBudget,
  ) {}

  /** Writes the decoded data; nothing if no ABI decodes them, or to null, as nodes do (leap trace_api request_handler.cpp). */
  writeParams(out: JsonWriter): void {
    if (this.paramsText !== undefined) return void out.bytes(this.paramsText);
    const { decoding } = this.budget;
    const before = decoding.spent;
    const start = out.length;
    const isDecoded = this.decoder?.writeAction(out.bytes(PARAMS), this.action.name, this.action.data, decoding);
    const bytes = out.length - start - PARAMS.length;
    if (!isDecoded || isNull(out, start + PARAMS.length)) out.truncate(start);
    const spent = decoding.spent - before;
    this.decodedSize = isDecoded ? this.budget.measureShared(bytes, spent) : { atLeast: 0, atMost: spent };
    if (this.isShared) this.paramsText = out.copyFrom(start);
  }

  writeFields(out: JsonWriter): void {
    if (this.fieldsText !== undefined) return void out.bytes(this.fieldsText);
    const start = out.length;
    writeSharedFields(out, this.action, this.action.authorization, this.action.data);
    if (this.isShared) this.fieldsText = out.copyFrom(start);
  }

  private get isShared(): boolean {
    return this.action.traces.length > 1;
  }
}

/** Writes the fields of a trace from `account` to `data`. */
function writeSharedFields(
  out: JsonWriter,
  { account, name }: ActionRecord,
  authorization: readonly PermissionLevel[],
  data: Buffer,
): void {
  out.bytes(ACCOUNT).raw(account).bytes(ACTION).raw(name).bytes(AUTHORIZATION);
  out.array(authorization, ({ actor, permission }) =>
    out.bytes(ACTOR).raw(actor).bytes(PERMISSION).raw(permission).raw('"}'),
  );
  out.bytes(DATA).hex(data);
}

const ACCOUNT = jsonText('"account":"');
const ACTION = jsonText('","action":"');
const AUTHORIZATION = jsonText('","authorization":');
const ACTOR = jsonText('{"account":"');
const PERMISSION = jsonText('","permission":"');
const DATA = jsonText(',"data":');

/** Bytes of a trace's names, receiver and sequence. */
const TRACE_FRAME_BYTES = 256;

function createTraceRenderer(isSince21: boolean, { decoding }: ResponseBudget): PartRenderer<TracePart> {
  /** Writes a trace without its last brace. */
  const begin = (out: JsonWriter, { receipt, receiver }: ActionTrace, shared: () => void, returned: Buffer): void => {
    writeInteger64(out.bytes(GLOBAL_SEQUENCE), receipt.globalSequence);
    out.bytes(RECEIVER).raw(receiver).raw('",');
    shared();
    if (isSince21) out.bytes(RETURN_VALUE).hex(returned);
  };
  return {
    undecodedBytes: ({ of, trace }) => undecodedActBytes(of.action) + 2 * trace.returnValue.length + TRACE_FRAME_BYTES,
    sharedSize: ({ of }) => of.decodedSize,
    decoded({ of, trace }, out) {
      begin(out, trace, () => of.writeFields(out), trace.returnValue);
      of.writeParams(out);
      const returned = decodeReturnValue(of.action, trace, of.decoder, decoding);
      if (returned !== undefined) out.raw(',"return_data":').value(returned);
      out.raw('}');
    },
    undecoded({ of, trace }, out) {
      begin(out, trace, () => of.writeFields(out), trace.returnValue);
      out.raw('}');
    },
    omitted({ of: { action }, trace }, out) {
      begin(out, trace, () => writeSharedFields(out, action, [], NO_BYTES), NO_BYTES);
      out.raw(`,"omitted_bytes":${action.data.length}}`);
    },
  };
}

const GLOBAL_SEQUENCE = jsonText('{"global_sequence":');
const RECEIVER = jsonText(',"receiver":"');
const RETURN_VALUE = jsonText(',"return_value":');
const NO_BYTES = Buffer.alloc(0);
