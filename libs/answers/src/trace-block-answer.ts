import { blockTimestampToString, type AbiDecoder } from '@antelope-history/abi';
import type {
  AbiRequest,
  ActionRecord,
  ActionTrace,
  ChainStatus,
  StoredBlock,
  StoredBlockTransaction,
} from '@antelope-history/records';
import type { GetTraceBlockAnswer } from '@antelope-history/schemas';
import {
  readBlockHeader,
  readPackedTransaction,
  readReceipts,
  readTransactionHeader,
  type TransactionHeader,
  type TransactionReceipt,
} from '@antelope-history/ship';
import { AbiRequestSet } from './abi-request-set';
import type { AbiDecoders } from './abi-decoders';
import { decodeReturnValue, ownTrace, tracesInOrder } from './action-trace';
import { renderInteger64 } from './integer64';
import { renderSignature, renderStatus, renderTransactionHeader, toHex } from './transaction-json';

type TransactionJson = GetTraceBlockAnswer['transactions'][number];
type ActionJson = TransactionJson['actions'][number];

/** A block with its traces as the store gives it. */
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
 * The answer of `/v1/trace_api/get_block`, field for field the trace plugin's of the node that the block came from
 * (nodeos plugins/trace_api_plugin/request_handler.cpp): EOSIO 2.0 has neither places nor return values.
 */
export function renderBlockTraces(traces: StoredBlockTraces, decoders: AbiDecoders): GetTraceBlockAnswer {
  const { status, block, transactions } = traces;
  const header = readBlockHeader(block.block);
  const receipts = readReceipts(block.block);
  const { num, id } = block.position;
  const blockTime = blockTimestampToString(header.timestamp);
  const place = isLeap(block) ? { block_num: num, block_time: blockTime, producer_block_id: id } : {};
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
    transactions: transactions.map((transaction) =>
      renderTransaction(transaction, receipts[transaction.record.receiptIndex], { block, place, decoders }),
    ),
  };
}

function isLeap({ generation }: StoredBlock): boolean {
  return generation === 'leap';
}

interface BlockContext {
  block: StoredBlock;
  place: Pick<TransactionJson, 'block_num' | 'block_time' | 'producer_block_id'>;
  decoders: AbiDecoders;
}

function renderTransaction(
  { record, actions }: StoredBlockTransaction,
  receipt: TransactionReceipt | undefined,
  context: BlockContext,
): TransactionJson {
  const { header, signatures } = signedHeaderOf(record, receipt);
  return {
    id: record.partial?.id ?? toHex(record.id),
    ...context.place,
    actions: renderActions(actions, context),
    status: renderStatus(record.status),
    cpu_usage_us: record.cpuUsageUs,
    net_usage_words: record.netUsageWords,
    signatures: signatures.map(renderSignature),
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

/** From the block where it has the transaction, else from what SHiP said of it. */
function signedHeaderOf(
  { partial }: StoredBlockTransaction['record'],
  receipt: TransactionReceipt | undefined,
): SignedHeader {
  if (partial) return { header: partial, signatures: partial.signatures };
  if (!receipt || 'id' in receipt.transaction) return { header: NO_HEADER, signatures: [] };
  const packed = readPackedTransaction(receipt.transaction.packed);
  return { header: readTransactionHeader(packed), signatures: packed.signatures };
}

/** The trace plugin leaves context-free actions out. */
function shownActions(actions: ActionRecord[]): ActionRecord[] {
  return actions.filter((action) => !action.contextFree);
}

function renderActions(actions: ActionRecord[], { block, decoders }: BlockContext): ActionJson[] {
  const decoded = shownActions(actions).map((action) => {
    const decoder = decoders.at(action.account, block.position.num, ownTrace(action).receipt.globalSequence);
    return { action, decoder, shared: renderShared(action), params: decoder?.decodeAction(action.name, action.data) };
  });
  return tracesInOrder(decoded).map(({ of, trace }) => renderTrace(of, trace, isLeap(block)));
}

type SharedFields = Pick<ActionJson, 'account' | 'action' | 'authorization' | 'data'>;

/** What an action's traces have in common. */
function renderShared(action: ActionRecord): SharedFields {
  return {
    account: action.account,
    action: action.name,
    authorization: action.authorization.map(({ actor, permission }) => ({ account: actor, permission })),
    data: toHex(action.data),
  };
}

function renderTrace(
  of: { action: ActionRecord; decoder: AbiDecoder | undefined; shared: SharedFields; params: unknown },
  trace: ActionTrace,
  hasReturnValue: boolean,
): ActionJson {
  const json: ActionJson = {
    global_sequence: renderInteger64(trace.receipt.globalSequence),
    receiver: trace.receiver,
    ...of.shared,
  };
  if (hasReturnValue) json.return_value = toHex(trace.returnValue);
  if (of.params !== undefined) json.params = of.params;
  const returned = decodeReturnValue(of.action, trace, of.decoder);
  if (returned !== undefined) json.return_data = returned;
  return json;
}
