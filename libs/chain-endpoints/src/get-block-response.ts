import { type AbiDecoder, blockTimestampToString } from '@antelope-history/abi';
import type { GetChainBlockResponse } from '@antelope-history/chain-routes';
import { JsonFragment, jsonText, JsonWriter, stringifyJson } from '@antelope-history/json';
import {
  type AbiDecoders,
  AbiRequestSet,
  addReserves,
  NO_SIZE,
  packedJsonBytes,
  type PartRenderer,
  printParts,
  renderCompression,
  renderSignature,
  renderStatus,
  type Reserve,
  reserveFor,
  RESPONSE_LIMITS,
  type ResponseBudget,
  takeContextFreeData,
  undecodedActBytes,
  writeAct,
  writeActWithHexIfDecoded,
  writeOmittedAct,
  writeSignatures,
  writeTransactionHeader,
} from '@antelope-history/responses';
import {
  type Action,
  type Extension,
  type PackedTransaction,
  readPackedTransaction,
  readReceipts,
  readSignedBlock,
  readTransaction,
  readTransactionAccounts,
  readTransactionActions,
  type TransactionReceipt,
} from '@antelope-history/ship';
import type { AbiRequest, StoredBlock } from '@antelope-history/store';
import { refBlockPrefix } from './block-header';
import { renderBlockExtensions, renderHeaderExtensions, renderTransactionExtensions } from './extensions';
import { renderProducerSchedule } from './producer-schedule';

type ReceiptsJson = GetChainBlockResponse['transactions'];

/**
 * A compressed transaction of a kilobyte may unpack to a megabyte. Actions of compressed transactions are decoded until their
 * undecoded forms together reach the size limit of a response.
 */
class UnpackedBytes {
  private left = RESPONSE_LIMITS.bytes;

  get isSpent(): boolean {
    return this.left < 0;
  }

  /** Spends the actions of a compressed transaction. */
  spend(actions: readonly Action[]): void {
    for (const action of actions) this.left -= undecodedActBytes(action);
  }
}

/** The ABIs that `renderBlock` needs. Yields between transactions, because some have to be inflated. */
export function* abisOfBlock(block: StoredBlock): Generator<void, AbiRequest[]> {
  const requests = new AbiRequestSet();
  const unpacked = new UnpackedBytes();
  for (const [receiptIndex, { transaction }] of readReceipts(block.block).entries()) {
    if ('id' in transaction) continue;
    const packed = readPackedTransaction(transaction.packed);
    if (packed.compressed && unpacked.isSpent) continue;
    const accounts = packed.compressed ? accountsOfUnpacked(packed, unpacked) : readTransactionAccounts(packed);
    accounts.forEach((account, rootIndex) => requests.addPosition(positionOf(block, account, receiptIndex, rootIndex)));
    yield;
  }
  return requests.list();
}

function accountsOfUnpacked(packed: PackedTransaction, unpacked: UnpackedBytes): string[] {
  const { contextFreeActions, actions } = readTransactionActions(packed);
  const roots = [...contextFreeActions, ...actions];
  unpacked.spend(roots);
  return roots.map(({ account }) => account);
}

/**
 * Renders a block field by field as nodeos does (abi_serializer.hpp, signed_block). Actions that do not fit the budget
 * decoded are printed undecoded. Yields between actions.
 */
export function* renderBlock(
  stored: StoredBlock,
  decoders: AbiDecoders,
  budget: ResponseBudget,
): Generator<void, GetChainBlockResponse> {
  const block = readSignedBlock(stored.block);
  const { num, id } = stored.position;
  const out = new JsonWriter();
  yield* writeReceipts(out, block.receipts, {
    stored,
    decoders,
    budget,
    actRenderer: createActRenderer(stored, budget),
    unpacked: new UnpackedBytes(),
    acts: new JsonWriter(),
    omitsFreeData: false,
  });
  return {
    timestamp: blockTimestampToString(block.timestamp),
    producer: block.producer,
    confirmed: block.confirmed,
    previous: block.previous,
    transaction_mroot: block.transactionMroot,
    action_mroot: block.actionMroot,
    schedule_version: block.scheduleVersion,
    new_producers: block.newProducers ? renderProducerSchedule(block.newProducers) : null,
    ...renderHeaderExtensions(block.headerExtensions),
    producer_signature: renderSignature(block.producerSignature),
    transactions: new JsonFragment<ReceiptsJson>(out.pieces()).inPlace(),
    ...renderBlockExtensions(block.blockExtensions),
    id,
    block_num: num,
    ref_block_prefix: refBlockPrefix(id),
  };
}

interface BlockContext {
  stored: StoredBlock;
  decoders: AbiDecoders;
  budget: ResponseBudget;
  actRenderer: PartRenderer<RootAction>;
  unpacked: UnpackedBytes;
  /** Has the actions of one transaction at a time: fields before them are taken from the budget after them. */
  acts: JsonWriter;
  /** Set once context-free data did not fit; later ones are not unpacked. Their packed form is in the response anyway. */
  omitsFreeData: boolean;
}

/** Upper bound of the JSON bytes of undecoded actions per byte of a packed transaction; names and authorizations grow most. */
const UNDECODED_BYTES_PER_PACKED_BYTE = 8;

function* writeReceipts(out: JsonWriter, receipts: TransactionReceipt[], context: BlockContext): Generator<void, void> {
  const packedBytes = receipts.map(({ transaction }) => ('id' in transaction ? 0 : transaction.packed.length));
  const total = packedBytes.reduce((sum, bytes) => sum + bytes, 0);
  // The hex of packed transactions is never left out.
  for (const { transaction } of receipts)
    context.budget.take('id' in transaction ? 256 : packedJsonBytes(transaction.packed));
  const after = { undecodedBytes: total * UNDECODED_BYTES_PER_PACKED_BYTE, omittedBytes: 0 };
  out.raw('[');
  for (const [index, receipt] of receipts.entries()) {
    after.undecodedBytes -= (packedBytes[index] ?? 0) * UNDECODED_BYTES_PER_PACKED_BYTE;
    if (index > 0) out.raw(',');
    yield* writeReceipt(out, receipt, index, context, after);
    yield;
  }
  out.raw(']');
}

function* writeReceipt(
  out: JsonWriter,
  receipt: TransactionReceipt,
  receiptIndex: number,
  context: BlockContext,
  after: Reserve,
): Generator<void, void> {
  const { status, cpuUsageUs, netUsageWords, transaction } = receipt;
  out.bytes(STATUS).raw(renderStatus(status)).bytes(CPU_USAGE).integer(cpuUsageUs);
  out.bytes(NET_USAGE).integer(netUsageWords).bytes(TRX);
  if ('id' in transaction) out.raw(`"${transaction.id}"`);
  else yield* writeTransaction(out, transaction.packed, receiptIndex, context, after);
  out.raw('}');
}

function* writeTransaction(
  out: JsonWriter,
  packedTransaction: Buffer,
  receiptIndex: number,
  context: BlockContext,
  after: Reserve,
): Generator<void, void> {
  const { budget, unpacked, decoders } = context;
  const packed = readPackedTransaction(packedTransaction);
  const transaction = readTransaction(packed);
  const { contextFreeActions, actions } = transaction;
  const roots = [...contextFreeActions, ...actions];
  const isDecoded = !packed.compressed || !unpacked.isSpent;
  if (packed.compressed && isDecoded) unpacked.spend(roots);
  const parts = roots.map((action, index) => {
    const { account, blockNum, sequence } = positionOf(context.stored, action.account, receiptIndex, index);
    return { action, decoder: isDecoded ? decoders.at(account, blockNum, sequence) : undefined };
  });
  yield* writeActs(parts, contextFreeActions.length, context, after);
  const contextFreeData = context.omitsFreeData ? undefined : takeContextFreeData(packed, budget, after);
  context.omitsFreeData ||= contextFreeData === undefined;
  const signatures = yield* writeSignatures(packed.signatures, budget);
  out.bytes(ID).raw(transaction.id).bytes(SIGNATURES).raw(signatures);
  out.bytes(COMPRESSION).raw(renderCompression(packed.compressed));
  out.bytes(PACKED_FREE_DATA).hex(packed.packedContextFreeData);
  out.bytes(FREE_DATA).raw(contextFreeData ?? '[]');
  out.bytes(PACKED_TRX).hex(packed.packedTrx);
  out.bytes(TRANSACTION).raw(writeTransactionHeader(transaction)).bytes(FREE_ACTIONS);
  for (const piece of context.acts.pieces()) out.bytes(piece);
  writeExtensions(out, transaction.extensions);
  out.raw('}}');
}

const STATUS = jsonText('{"status":"');
const CPU_USAGE = jsonText('","cpu_usage_us":');
const NET_USAGE = jsonText(',"net_usage_words":');
const TRX = jsonText(',"trx":');
const ID = jsonText('{"id":"');
const SIGNATURES = jsonText('","signatures":');
const COMPRESSION = jsonText(',"compression":"');
const PACKED_FREE_DATA = jsonText('","packed_context_free_data":');
const FREE_DATA = jsonText(',"context_free_data":');
const PACKED_TRX = jsonText(',"packed_trx":');
const TRANSACTION = jsonText(',"transaction":{');
const FREE_ACTIONS = jsonText(',"context_free_actions":');
const ACTIONS = jsonText('],"actions":[');

/** Writes the two arrays of actions to `acts`; the first `contextFree` parts are context-free. */
function* writeActs(
  parts: RootAction[],
  contextFree: number,
  { acts, actRenderer, budget }: BlockContext,
  after: Reserve,
): Generator<void, void> {
  const actions = parts.slice(contextFree);
  const afterFree = addReserves(reserveFor(actions, actRenderer), after);
  acts.truncate(0);
  acts.raw('[');
  yield* printParts(acts, parts.slice(0, contextFree), actRenderer, budget, afterFree);
  acts.bytes(ACTIONS);
  yield* printParts(acts, actions, actRenderer, budget, after);
  acts.raw(']');
}

/** Writes the fields that extensions add, each after a comma. */
function writeExtensions(out: JsonWriter, extensions: Extension[]): void {
  if (extensions.length === 0) return;
  const fields = stringifyJson(renderTransactionExtensions(extensions)).slice(1, -1);
  // Names and hex only.
  if (fields !== '') out.raw(',').raw(fields);
}

interface RootAction {
  action: Action;
  decoder: AbiDecoder | undefined;
}

/** Actions that were not decoded have no `hex_data` if the node that the block came from leaves it out. */
function createActRenderer({ generation }: StoredBlock, { decoding }: ResponseBudget): PartRenderer<RootAction> {
  const write = generation === 'eosio-2.1+' ? writeAct : writeActWithHexIfDecoded;
  return {
    undecodedBytes: ({ action }) => undecodedActBytes(action),
    sharedSize: () => NO_SIZE,
    decoded: ({ action, decoder }, out) => write(out, action, decoder, decoding),
    undecoded: ({ action }, out) => write(out, action, undefined),
    omitted: ({ action }, out) => writeOmittedAct(out, action),
  };
}

/** The position at which a root action ran or would have run, see `StoredBlock.rootSequences`. */
function positionOf(stored: StoredBlock, account: string, receiptIndex: number, rootIndex: number): AbiRequest {
  const sequences = stored.rootSequences[receiptIndex] ?? [];
  return { account, blockNum: stored.position.num, sequence: sequences[rootIndex] ?? sequences[0] ?? 0 };
}
