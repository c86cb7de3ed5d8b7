import { type AbiDecoder, blockTimestampToString } from '@antelope-history/abi';
import { shownHeads } from '@antelope-history/endpoint-kit';
import type { GetTransactionResponse } from '@antelope-history/history-routes';
import { JsonFragment, JsonWriter, writeArray, writeHex } from '@antelope-history/json';
import type { ActionRecord, ActionTrace } from '@antelope-history/records';
import {
  type AbiDecoders,
  AbiRequestSet,
  addReserves,
  NO_SIZE,
  ownTrace,
  packedJsonBytes,
  type PartRenderer,
  printParts,
  renderCompression,
  renderStatus,
  type Reserve,
  reserveFor,
  type ResponseBudget,
  takeContextFreeData,
  takeOrEmpty,
  toHex,
  tracesInOrder,
  undecodedActBytes,
  writeAct,
  writeOmittedAct,
  writeSignatures,
  writeTransactionHeader,
} from '@antelope-history/responses';
import {
  type Action,
  type Extension,
  type PackedTransaction,
  readPackedTransaction,
  readReceipt,
  readTransaction,
} from '@antelope-history/ship';
import type { AbiRequest, ChainStatus, StoredTransaction } from '@antelope-history/store';
import { BlockContext, undecodedTraceBytes, writeActionTrace, writeOmittedTrace } from './action-trace';

type TrxJson = NonNullable<GetTransactionResponse['trx']>;
type TracesJson = GetTransactionResponse['traces'];

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
  const out = new JsonWriter().raw('[');
  yield* printParts(out, traces, traceRenderer, budget);
  out.raw(']');
  return {
    id: transaction.id,
    trx,
    block_time: blockTimestampToString(transaction.blockTimestamp),
    block_num: transaction.blockNum,
    last_irreversible_block: shownHeads(status).lastIrreversible,
    traces: new JsonFragment<TracesJson>(out.pieces()).inPlace(),
  };
}

/** An action whose JSON is written once and shared by its traces. */
class SharedAct {
  /** Size of the decoded act; `NO_SIZE` before it is decoded. */
  decodedSize = NO_SIZE;
  private decodedAct: Buffer | undefined;

  constructor(
    readonly action: ActionRecord,
    readonly decoder: AbiDecoder | undefined,
    private readonly budget: ResponseBudget,
  ) {}

  writeDecoded(out: JsonWriter): void {
    if (this.decodedAct !== undefined) {
      out.bytes(this.decodedAct);
      return;
    }
    const { decoding } = this.budget;
    const before = decoding.spent;
    const start = out.length;
    writeAct(out, this.action, this.decoder, decoding);
    this.decodedAct = out.copyFrom(start);
    this.decodedSize = this.budget.measureShared(this.decodedAct.length, decoding.spent - before);
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
  const { cpuUsageUs, netUsageWords } = receipt;
  const usage =
    `"status":"${renderStatus(receipt.status)}","cpu_usage_us":${cpuUsageUs},` + `"net_usage_words":${netUsageWords}`;
  if ('id' in content) {
    if (content.id !== transaction.id) return null;
    return new JsonFragment<TrxJson>([`{"receipt":{${usage},"trx":[0,"${content.id}"]}}`]).inPlace();
  }
  const packed = readPackedTransaction(content.packed);
  budget.take(packedJsonBytes(content.packed));
  const signatures = yield* writeSignatures(packed.signatures, budget);
  const out = new JsonWriter().raw(`{"receipt":{${usage},"trx":[1,${writePacked(packed, signatures)}]},"trx":`);
  yield* writeUnpacked(out, packed, signatures, acts, budget, after);
  return new JsonFragment<TrxJson>(out.raw('}').pieces()).inPlace();
}

function writePacked(packed: PackedTransaction, signatures: string): string {
  return (
    `{"signatures":${signatures},"compression":"${renderCompression(packed.compressed)}",` +
    `"packed_context_free_data":${writeHex(packed.packedContextFreeData)},` +
    `"packed_trx":${writeHex(packed.packedTrx)}}`
  );
}

function* writeUnpacked(
  out: JsonWriter,
  packed: PackedTransaction,
  signatures: string,
  acts: SharedAct[],
  budget: ResponseBudget,
  after: Reserve,
): Generator<void, void> {
  const transaction = readTransaction(packed);
  // The actions of a transaction have the first ordinals, context-free actions before the others.
  const byOrdinal = new Map(acts.map((act) => [ownTrace(act.action).ordinal, act]));
  const { contextFreeActions, actions, extensions } = transaction;
  const roots = [...contextFreeActions, ...actions].map((action, index) => ({ action, act: byOrdinal.get(index + 1) }));
  const contextFree = roots.splice(0, contextFreeActions.length);
  out.raw(`{${writeTransactionHeader(transaction)},"context_free_actions":[`);
  yield* printParts(out, contextFree, ROOT_RENDERER, budget, addReserves(reserveFor(roots, ROOT_RENDERER), after));
  out.raw('],"actions":[');
  yield* printParts(out, roots, ROOT_RENDERER, budget, after);
  const extensionsText = takeOrEmpty(
    budget,
    writeArray(extensions, writeExtension),
    extensionsBytes(extensions),
    after,
  );
  out.raw('],"transaction_extensions":').raw(extensionsText).raw(',"signatures":').raw(signatures);
  out
    .raw(',"context_free_data":')
    .raw(takeContextFreeData(packed, budget, after) ?? '[]')
    .raw('}');
}

/** An action of the transaction, with its executed form if it was executed. */
interface RootAction {
  action: Action;
  act: SharedAct | undefined;
}

const ROOT_RENDERER: PartRenderer<RootAction> = {
  undecodedBytes: ({ action }) => undecodedActBytes(action),
  sharedSize: ({ act }) => act?.decodedSize ?? NO_SIZE,
  decoded: ({ action, act }, out) => (act ? act.writeDecoded(out) : writeAct(out, action, undefined)),
  undecoded: ({ action }, out) => writeAct(out, action, undefined),
  omitted: ({ action }, out) => writeOmittedAct(out, action),
};

function writeExtension({ type, data }: Extension): string {
  return `[${type},${writeHex(data)}]`;
}

/** Bytes of `[65535,""],`. */
const EXTENSION_FRAME_BYTES = 12;

function extensionsBytes(extensions: readonly Extension[]): number {
  return extensions.reduce((bytes, { data }) => bytes + 2 * data.length + EXTENSION_FRAME_BYTES, 2);
}

function createTraceRenderer(
  { record, blockNum, blockId, blockTimestamp }: StoredTransaction,
  { decoding }: ResponseBudget,
): PartRenderer<{ of: SharedAct; trace: ActionTrace }> {
  const block = new BlockContext(blockNum, blockId, blockTimestamp);
  const context = { transactionId: toHex(record.id), block };
  return {
    undecodedBytes: ({ of, trace }) => undecodedTraceBytes(of.action, trace),
    sharedSize: ({ of }) => of.decodedSize,
    decoded: ({ of, trace }, out) =>
      writeActionTrace(out, of.action, trace, () => of.writeDecoded(out), context, of.decoder, decoding),
    undecoded: ({ of, trace }, out) =>
      writeActionTrace(out, of.action, trace, () => writeAct(out, of.action, undefined), context, undefined),
    omitted: ({ of, trace }, out) => writeOmittedTrace(out, of.action, trace, context),
  };
}
