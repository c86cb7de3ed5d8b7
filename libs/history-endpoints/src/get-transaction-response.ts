import { type AbiDecoder, blockTimestampToString } from '@antelope-history/abi';
import type { GetTransactionResponse } from '@antelope-history/history-routes';
import type { ActionRecord, ActionTrace } from '@antelope-history/records';
import {
  type AbiDecoders,
  AbiRequestSet,
  type ActJson,
  NO_SIZE,
  ownTrace,
  packedJsonBytes,
  type PartRenderer,
  printParts,
  renderAct,
  renderCompression,
  renderOmittedAct,
  renderSignatures,
  renderStatus,
  renderTransactionHeader,
  type Reserve,
  reserveFor,
  type ResponseBudget,
  takeContextFreeData,
  takeOrEmpty,
  toHex,
  tracesInOrder,
  undecodedActBytes,
} from '@antelope-history/responses';
import type { ActionTraceJson } from '@antelope-history/schemas';
import {
  type Action,
  type PackedTransaction,
  readPackedTransaction,
  readReceipt,
  readTransaction,
  type Transaction,
} from '@antelope-history/ship';
import type { AbiRequest, ChainStatus, StoredTransaction } from '@antelope-history/store';
import { renderActionTrace, renderOmittedTrace, undecodedTraceBytes } from './action-trace';

type TrxJson = NonNullable<GetTransactionResponse['trx']>;

/** The ABIs that `renderTransaction` needs. */
export function abisOfTransaction(transaction: StoredTransaction): AbiRequest[] {
  const requests = new AbiRequestSet();
  for (const action of transaction.actions) requests.addAction(action, transaction.blockNum);
  return requests.list();
}

/**
 * Renders a transaction with all its traces; each notification is a trace of its own. Actions that do not fit the budget
 * decoded are printed undecoded. Yields between traces.
 */
export function* renderTransaction(
  transaction: StoredTransaction,
  status: ChainStatus,
  decoders: AbiDecoders,
  budget: ResponseBudget,
): Generator<void, GetTransactionResponse> {
  const acts = transaction.actions.map((action) => {
    const decoder = decoders.at(action.account, transaction.blockNum, ownTrace(action).receipt.globalSequence);
    return new SharedAct(action, decoder, budget);
  });
  const traces = tracesInOrder(acts);
  const traceRenderer = createTraceRenderer(transaction, budget);
  const trx = yield* renderTrx(transaction, acts, budget, reserveFor(traces, traceRenderer));
  return {
    id: transaction.id,
    trx,
    block_time: blockTimestampToString(transaction.blockTimestamp),
    block_num: transaction.blockNum,
    last_irreversible_block: status.lastIrreversible?.num ?? 0,
    traces: yield* printParts(traces, traceRenderer, budget),
  };
}

/** An action whose JSON is rendered once and shared by its traces. */
class SharedAct {
  /** Size of the decoded act; `NO_SIZE` before it is decoded. */
  decodedSize = NO_SIZE;
  private decodedAct: ActJson | undefined;
  private undecodedAct: ActJson | undefined;

  constructor(
    readonly action: ActionRecord,
    readonly decoder: AbiDecoder | undefined,
    private readonly budget: ResponseBudget,
  ) {}

  decoded(): ActJson {
    if (this.decodedAct) return this.decodedAct;
    const { decoding } = this.budget;
    const before = decoding.spent;
    const act = renderAct(this.action, this.decoder, decoding);
    const { value, size } = this.budget.share(act, decoding.spent - before);
    this.decodedAct = value;
    this.decodedSize = size;
    return value;
  }

  undecoded(): ActJson {
    this.undecodedAct ??= renderAct(this.action, undefined);
    return this.undecodedAct;
  }
}

/** The transaction as the block lists it; null for one that the block does not list (`onblock`, `onerror`). */
function* renderTrx(
  transaction: StoredTransaction,
  acts: SharedAct[],
  budget: ResponseBudget,
  after: Reserve,
): Generator<void, TrxJson | null> {
  if (transaction.receiptIndex < 0) return null;
  const { transaction: content, ...receipt } = readReceipt(transaction.block, transaction.receiptIndex);
  const header = {
    status: renderStatus(receipt.status),
    cpu_usage_us: receipt.cpuUsageUs,
    net_usage_words: receipt.netUsageWords,
  };
  if ('id' in content) {
    return content.id === transaction.id ? { receipt: { ...header, trx: [0, content.id] } } : null;
  }
  const packed = readPackedTransaction(content.packed);
  budget.take(packedJsonBytes(content.packed));
  const signatures = yield* renderSignatures(packed.signatures, budget);
  const unpacked = yield* renderUnpacked(packed, signatures, acts, budget, after);
  return { receipt: { ...header, trx: [1, renderPacked(packed, signatures)] }, trx: unpacked };
}

function renderPacked(
  packed: PackedTransaction,
  signatures: string[],
): Extract<TrxJson['receipt']['trx'], [1, unknown]>[1] {
  return {
    signatures,
    compression: renderCompression(packed.compressed),
    packed_context_free_data: toHex(packed.packedContextFreeData),
    packed_trx: toHex(packed.packedTrx),
  };
}

function* renderUnpacked(
  packed: PackedTransaction,
  signatures: string[],
  acts: SharedAct[],
  budget: ResponseBudget,
  after: Reserve,
): Generator<void, TrxJson['trx']> {
  const transaction = readTransaction(packed);
  // The actions of a transaction have the first ordinals, context-free actions before the others.
  const byOrdinal = new Map(acts.map((act) => [ownTrace(act.action).ordinal, act]));
  const { contextFreeActions, actions } = transaction;
  const roots = [...contextFreeActions, ...actions].map((action, index) => ({ action, act: byOrdinal.get(index + 1) }));
  const printed = yield* printParts(roots, ROOT_RENDERER, budget, after);
  const extensions = renderPackedExtensions(transaction);
  return {
    ...renderTransactionHeader(transaction),
    context_free_actions: printed.slice(0, contextFreeActions.length),
    actions: printed.slice(contextFreeActions.length),
    transaction_extensions: takeOrEmpty(budget, extensions, extensionsBytes(extensions), after),
    signatures,
    context_free_data: takeContextFreeData(packed, budget, after) ?? [],
  };
}

/** An action of the transaction, with its executed form if it was executed. */
interface RootAction {
  action: Action;
  act: SharedAct | undefined;
}

const ROOT_RENDERER: PartRenderer<RootAction, ActJson> = {
  undecodedBytes: ({ action }) => undecodedActBytes(action),
  sharedSize: ({ act }) => act?.decodedSize ?? NO_SIZE,
  decoded: ({ action, act }) => act?.decoded() ?? renderAct(action, undefined),
  undecoded: ({ action }) => renderAct(action, undefined),
  omitted: ({ action }) => renderOmittedAct(action),
};

function renderPackedExtensions({ extensions }: Transaction): [number, string][] {
  return extensions.map(({ type, data }) => [type, toHex(data)]);
}

/** Bytes of `[65535,""],`. */
const EXTENSION_FRAME_BYTES = 12;

function extensionsBytes(extensions: [number, string][]): number {
  return extensions.reduce((bytes, [, data]) => bytes + data.length + EXTENSION_FRAME_BYTES, 2);
}

function createTraceRenderer(
  transaction: StoredTransaction,
  { decoding }: ResponseBudget,
): PartRenderer<{ of: SharedAct; trace: ActionTrace }, ActionTraceJson> {
  const context = {
    transactionId: toHex(transaction.record.id),
    blockNum: transaction.blockNum,
    blockId: transaction.blockId,
    blockTime: blockTimestampToString(transaction.blockTimestamp),
  };
  return {
    undecodedBytes: ({ of, trace }) => undecodedTraceBytes(of.action, trace),
    sharedSize: ({ of }) => of.decodedSize,
    decoded: ({ of, trace }) => renderActionTrace(of.action, trace, of.decoded(), context, of.decoder, decoding),
    undecoded: ({ of, trace }) => renderActionTrace(of.action, trace, of.undecoded(), context, undefined),
    omitted: ({ of, trace }) => renderOmittedTrace(of.action, trace, context),
  };
}
