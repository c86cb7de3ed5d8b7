import { type AbiDecoder, blockTimestampToString } from '@antelope-history/abi';
import { arrayPieces, JsonFragment, writeArray, writeHex } from '@antelope-history/json';
import type { ActionRecord, ActionTrace, PermissionLevel } from '@antelope-history/records';
import {
  type AbiDecoders,
  AbiRequestSet,
  NO_SIZE,
  ownTrace,
  type PartRenderer,
  printParts,
  renderStatus,
  reserveFor,
  type ResponseBudget,
  toHex,
  tracesInOrder,
  undecodedActBytes,
  writeActData,
  writeInteger64,
  writeReturnValue,
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

type TransactionJson = GetTraceBlockResponse['transactions'][number];

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
  const written = yield* writeTransactions(transactions, receipts, { block, place, decoders, budget });
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
    transactions: JsonFragment.array<TransactionJson>(written).inPlace(),
  };
}

function isSince21({ generation }: StoredBlock): boolean {
  return generation === 'eosio-2.1+';
}

interface BlockContext {
  block: StoredBlock;
  /** The fields of a transaction that say where its block is, each after a comma; empty where the node had none. */
  place: string;
  decoders: AbiDecoders;
  budget: ResponseBudget;
}

/** Bytes of a transaction's id, header, usage and field names; its signatures are counted separately. */
const TRANSACTION_FRAME_BYTES = 1024;

function* writeTransactions(
  transactions: StoredBlockTransaction[],
  receipts: TransactionReceipt[],
  context: BlockContext,
): Generator<void, string[][]> {
  const renderer = createTraceRenderer(isSince21(context.block), context.budget);
  const traces = transactions.map(({ actions }) => tracesOf(actions, context));
  const reserves = traces.map((parts) => reserveFor(parts, renderer));
  const after = {
    undecodedBytes: reserves.reduce((sum, { undecodedBytes }) => sum + undecodedBytes, 0),
    omittedBytes: reserves.reduce((sum, { omittedBytes }) => sum + omittedBytes, 0),
  };
  const written: string[][] = [];
  for (const [index, { record }] of transactions.entries()) {
    after.undecodedBytes -= reserves[index]?.undecodedBytes ?? 0;
    after.omittedBytes -= reserves[index]?.omittedBytes ?? 0;
    const actions = yield* printParts(traces[index] ?? [], renderer, context.budget, after);
    written.push(yield* writeTransaction(record, receipts[record.receiptIndex], actions, context));
    if (context.budget.isPauseDue()) yield;
  }
  return written;
}

function* writeTransaction(
  record: StoredBlockTransaction['record'],
  receipt: TransactionReceipt | undefined,
  actions: readonly string[],
  context: BlockContext,
): Generator<void, string[]> {
  const { header, signatures } = signedHeaderOf(record, receipt);
  context.budget.take(TRANSACTION_FRAME_BYTES + signatures.reduce((bytes, { length }) => bytes + 2 * length, 0));
  const { status, cpuUsageUs, netUsageWords } = record;
  return [
    `{"id":"${record.partial?.id ?? toHex(record.id)}"${context.place},"actions":`,
    ...arrayPieces(actions),
    `,"status":"${renderStatus(status)}","cpu_usage_us":${cpuUsageUs},"net_usage_words":${netUsageWords},` +
      `"signatures":${yield* writeSignatures(signatures, context.budget)},` +
      `"transaction_header":{${writeTransactionHeader(header)}}}`,
  ];
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

/** An action with the fields that its traces share, which are written once. */
class SharedAct {
  /** Size of the decoded data; `NO_SIZE` before they are decoded. */
  decodedSize = NO_SIZE;
  private isDecoded = false;
  private decodedParams: string | undefined;
  private sharedFields: string | undefined;

  constructor(
    readonly action: ActionRecord,
    readonly decoder: AbiDecoder | undefined,
    private readonly budget: ResponseBudget,
  ) {}

  /** The JSON of the decoded data; undefined if no ABI decodes them. */
  params(): string | undefined {
    if (this.isDecoded) return this.decodedParams;
    const { decoding } = this.budget;
    const before = decoding.spent;
    this.decodedParams = writeActData(this.action, this.decoder, decoding);
    this.isDecoded = true;
    this.decodedSize = this.budget.measureShared(this.decodedParams, decoding.spent - before);
    return this.decodedParams;
  }

  fields(): string {
    this.sharedFields ??= writeSharedFields(this.action, this.action.authorization, writeHex(this.action.data));
    return this.sharedFields;
  }
}

/** The fields of a trace from `account` to `data`. */
function writeSharedFields(
  { account, name }: ActionRecord,
  authorization: readonly PermissionLevel[],
  data: string,
): string {
  return (
    `"account":"${account}","action":"${name}",` +
    `"authorization":${writeArray(authorization, writeAuthorization)},"data":${data}`
  );
}

function writeAuthorization({ actor, permission }: PermissionLevel): string {
  return `{"account":"${actor}","permission":"${permission}"}`;
}

/** Bytes of a trace's names, receiver and sequence. */
const TRACE_FRAME_BYTES = 256;

function createTraceRenderer(isSince21: boolean, { decoding }: ResponseBudget): PartRenderer<TracePart> {
  /** A trace without its last brace. */
  const begin = (shared: string, { receipt, receiver }: ActionTrace, returned: string): string =>
    `{"global_sequence":${writeInteger64(receipt.globalSequence)},"receiver":"${receiver}",${shared}` +
    (isSince21 ? `,"return_value":${returned}` : '');
  return {
    undecodedBytes: ({ of, trace }) => undecodedActBytes(of.action) + 2 * trace.returnValue.length + TRACE_FRAME_BYTES,
    sharedSize: ({ of }) => of.decodedSize,
    decoded({ of, trace }) {
      const params = of.params();
      const returned = writeReturnValue(of.action, trace, of.decoder, decoding);
      return (
        begin(of.fields(), trace, writeHex(trace.returnValue)) +
        (params === undefined ? '' : `,"params":${params}`) +
        (returned === undefined ? '}' : `,"return_data":${returned}}`)
      );
    },
    undecoded: ({ of, trace }) => `${begin(of.fields(), trace, writeHex(trace.returnValue))}}`,
    omitted: ({ of: { action }, trace }) =>
      `${begin(writeSharedFields(action, [], '""'), trace, '""')},"omitted_bytes":${action.data.length}}`,
  };
}
