import { type AbiDecoder, blockTimestampToString } from '@antelope-history/abi';
import type { ActionRecord, ActionTrace } from '@antelope-history/records';
import {
  type AbiDecoders,
  AbiRequestSet,
  decodeReturnValue,
  NO_SIZE,
  ownTrace,
  type PartRenderer,
  printParts,
  renderInteger64,
  renderSignatures,
  renderStatus,
  renderTransactionHeader,
  reserveFor,
  type ResponseBudget,
  toHex,
  tracesInOrder,
  undecodedActBytes,
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

type TransactionJson = GetTraceBlockResponse['transactions'][number];
type ActionJson = TransactionJson['actions'][number];

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
  const place = isSince21(block) ? { block_num: num, block_time: blockTime, producer_block_id: id } : {};
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
    transactions: yield* renderTransactions(transactions, receipts, { block, place, decoders, budget }),
  };
}

function isSince21({ generation }: StoredBlock): boolean {
  return generation === 'eosio-2.1+';
}

interface BlockContext {
  block: StoredBlock;
  place: Pick<TransactionJson, 'block_num' | 'block_time' | 'producer_block_id'>;
  decoders: AbiDecoders;
  budget: ResponseBudget;
}

/** Bytes of a transaction's id, header, usage and field names; its signatures are counted separately. */
const TRANSACTION_FRAME_BYTES = 1024;

function* renderTransactions(
  transactions: StoredBlockTransaction[],
  receipts: TransactionReceipt[],
  context: BlockContext,
): Generator<void, TransactionJson[]> {
  const renderer = createTraceRenderer(isSince21(context.block), context.budget);
  const traces = transactions.map(({ actions }) => tracesOf(actions, context));
  const reserves = traces.map((parts) => reserveFor(parts, renderer));
  const after = {
    undecodedBytes: reserves.reduce((sum, { undecodedBytes }) => sum + undecodedBytes, 0),
    omittedBytes: reserves.reduce((sum, { omittedBytes }) => sum + omittedBytes, 0),
  };
  const rendered: TransactionJson[] = [];
  for (const [index, { record }] of transactions.entries()) {
    after.undecodedBytes -= reserves[index]?.undecodedBytes ?? 0;
    after.omittedBytes -= reserves[index]?.omittedBytes ?? 0;
    const printed = yield* printParts(traces[index] ?? [], renderer, context.budget, after);
    rendered.push(yield* renderTransaction(record, receipts[record.receiptIndex], printed, context));
    if (context.budget.isPauseDue()) yield;
  }
  return rendered;
}

function* renderTransaction(
  record: StoredBlockTransaction['record'],
  receipt: TransactionReceipt | undefined,
  actions: ActionJson[],
  context: BlockContext,
): Generator<void, TransactionJson> {
  const { header, signatures } = signedHeaderOf(record, receipt);
  context.budget.take(TRANSACTION_FRAME_BYTES + signatures.reduce((bytes, { length }) => bytes + 2 * length, 0));
  return {
    id: record.partial?.id ?? toHex(record.id),
    ...context.place,
    actions,
    status: renderStatus(record.status),
    cpu_usage_us: record.cpuUsageUs,
    net_usage_words: record.netUsageWords,
    signatures: yield* renderSignatures(signatures, context.budget),
    transaction_header: renderTransactionHeader(header),
  };
}

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

type SharedFields = Pick<ActionJson, 'account' | 'action' | 'authorization' | 'data'>;

/** An action with the fields that its traces share, which are rendered once. */
class SharedAct {
  /** Size of the decoded data; `NO_SIZE` before they are decoded. */
  decodedSize = NO_SIZE;
  private isDecoded = false;
  private decodedParams: unknown;
  private fields: SharedFields | undefined;

  constructor(
    readonly action: ActionRecord,
    readonly decoder: AbiDecoder | undefined,
    private readonly budget: ResponseBudget,
  ) {}

  /** The decoded data; undefined if no ABI decodes them. */
  params(): unknown {
    if (this.isDecoded) return this.decodedParams;
    const { decoding } = this.budget;
    const before = decoding.spent;
    const params: unknown = this.decoder?.decodeAction(this.action.name, this.action.data, decoding);
    this.isDecoded = true;
    const { value, size } = this.budget.share(params, decoding.spent - before);
    this.decodedParams = value;
    this.decodedSize = size;
    return value;
  }

  shared(): SharedFields {
    this.fields ??= { ...renderFrame(this.action), data: toHex(this.action.data) };
    return this.fields;
  }
}

function renderFrame({ account, name, authorization }: ActionRecord): Omit<SharedFields, 'data'> {
  return {
    account,
    action: name,
    authorization: authorization.map(({ actor, permission }) => ({ account: actor, permission })),
  };
}

/** Bytes of a trace's names, receiver and sequence. */
const TRACE_FRAME_BYTES = 256;
const NO_BYTES = Buffer.alloc(0);

function createTraceRenderer(isSince21: boolean, { decoding }: ResponseBudget): PartRenderer<TracePart, ActionJson> {
  return {
    undecodedBytes: ({ of, trace }) => undecodedActBytes(of.action) + 2 * trace.returnValue.length + TRACE_FRAME_BYTES,
    sharedSize: ({ of }) => of.decodedSize,
    decoded({ of, trace }) {
      const json = renderTrace(of.shared(), trace, trace.returnValue, isSince21);
      const params = of.params();
      if (params !== undefined) json.params = params;
      const returned = decodeReturnValue(of.action, trace, of.decoder, decoding);
      if (returned !== undefined) json.return_data = returned;
      return json;
    },
    undecoded: ({ of, trace }) => renderTrace(of.shared(), trace, trace.returnValue, isSince21),
    omitted({ of: { action }, trace }) {
      const shared = { ...renderFrame({ ...action, authorization: [] }), data: '' };
      return { ...renderTrace(shared, trace, NO_BYTES, isSince21), omitted_bytes: action.data.length };
    },
  };
}

function renderTrace(shared: SharedFields, trace: ActionTrace, returned: Buffer, hasReturnValue: boolean): ActionJson {
  const json: ActionJson = {
    global_sequence: renderInteger64(trace.receipt.globalSequence),
    receiver: trace.receiver,
    ...shared,
  };
  if (hasReturnValue) json.return_value = toHex(returned);
  return json;
}
