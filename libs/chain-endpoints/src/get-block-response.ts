import { type AbiDecoder, blockTimestampToString } from '@antelope-history/abi';
import type { GetChainBlockResponse } from '@antelope-history/chain-routes';
import {
  type AbiDecoders,
  AbiRequestSet,
  type ActJson,
  NO_SIZE,
  packedJsonBytes,
  type PartRenderer,
  printParts,
  renderAct,
  renderCompression,
  renderOmittedAct,
  renderSignature,
  renderSignatures,
  renderStatus,
  renderTransactionHeader,
  type Reserve,
  RESPONSE_LIMITS,
  type ResponseBudget,
  takeContextFreeData,
  toHex,
  undecodedActBytes,
} from '@antelope-history/responses';
import {
  type Action,
  readPackedTransaction,
  readSignedBlock,
  readTransaction,
  type TransactionReceipt,
} from '@antelope-history/ship';
import type { AbiRequest, StoredBlock } from '@antelope-history/store';
import { renderBlockExtensions, renderHeaderExtensions, renderTransactionExtensions } from './extensions';
import { renderProducerSchedule } from './producer-schedule';

type ReceiptJson = GetChainBlockResponse['transactions'][number];

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
  for (const [receiptIndex, { transaction }] of readSignedBlock(block.block).receipts.entries()) {
    if ('id' in transaction) continue;
    const packed = readPackedTransaction(transaction.packed);
    if (packed.compressed && unpacked.isSpent) continue;
    const { contextFreeActions, actions } = readTransaction(packed);
    const roots = [...contextFreeActions, ...actions];
    if (packed.compressed) unpacked.spend(roots);
    roots.forEach(({ account }, rootIndex) =>
      requests.addPosition(positionOf(block, account, receiptIndex, rootIndex)),
    );
    yield;
  }
  return requests.list();
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
    transactions: yield* renderReceipts(block.receipts, {
      stored,
      decoders,
      budget,
      actRenderer: createActRenderer(stored, budget),
      unpacked: new UnpackedBytes(),
      omitsFreeData: false,
    }),
    ...renderBlockExtensions(block.blockExtensions),
    id,
    block_num: num,
    ref_block_prefix: Buffer.from(id, 'hex').readUInt32LE(8),
  };
}

interface BlockContext {
  stored: StoredBlock;
  decoders: AbiDecoders;
  budget: ResponseBudget;
  actRenderer: PartRenderer<RootAction, BlockActJson>;
  unpacked: UnpackedBytes;
  /** Set once context-free data did not fit; later ones are not unpacked. Their packed form is in the response anyway. */
  omitsFreeData: boolean;
}

/** Upper bound of the JSON bytes of undecoded actions per byte of a packed transaction; names and authorizations grow most. */
const UNDECODED_BYTES_PER_PACKED_BYTE = 8;

function* renderReceipts(receipts: TransactionReceipt[], context: BlockContext): Generator<void, ReceiptJson[]> {
  const packedBytes = receipts.map(({ transaction }) => ('id' in transaction ? 0 : transaction.packed.length));
  const total = packedBytes.reduce((sum, bytes) => sum + bytes, 0);
  // The hex of packed transactions is never left out.
  for (const { transaction } of receipts)
    context.budget.take('id' in transaction ? 256 : packedJsonBytes(transaction.packed));
  const after = { undecodedBytes: total * UNDECODED_BYTES_PER_PACKED_BYTE, omittedBytes: 0 };
  const rendered: ReceiptJson[] = [];
  for (const [index, receipt] of receipts.entries()) {
    after.undecodedBytes -= (packedBytes[index] ?? 0) * UNDECODED_BYTES_PER_PACKED_BYTE;
    rendered.push(yield* renderReceipt(receipt, index, context, after));
    yield;
  }
  return rendered;
}

function* renderReceipt(
  receipt: TransactionReceipt,
  receiptIndex: number,
  context: BlockContext,
  after: Reserve,
): Generator<void, ReceiptJson> {
  const { transaction } = receipt;
  const isId = 'id' in transaction;
  return {
    status: renderStatus(receipt.status),
    cpu_usage_us: receipt.cpuUsageUs,
    net_usage_words: receipt.netUsageWords,
    trx: isId ? transaction.id : yield* renderTransaction(transaction.packed, receiptIndex, context, after),
  };
}

function* renderTransaction(
  packedTransaction: Buffer,
  receiptIndex: number,
  context: BlockContext,
  after: Reserve,
): Generator<void, ReceiptJson['trx']> {
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
  const acts = yield* printParts(parts, context.actRenderer, budget, after);
  const contextFreeData = context.omitsFreeData ? undefined : takeContextFreeData(packed, budget, after);
  context.omitsFreeData ||= contextFreeData === undefined;
  return {
    id: transaction.id,
    signatures: yield* renderSignatures(packed.signatures, budget),
    compression: renderCompression(packed.compressed),
    packed_context_free_data: toHex(packed.packedContextFreeData),
    context_free_data: contextFreeData ?? [],
    packed_trx: toHex(packed.packedTrx),
    transaction: {
      ...renderTransactionHeader(transaction),
      context_free_actions: acts.slice(0, contextFreeActions.length),
      actions: acts.slice(contextFreeActions.length),
      ...renderTransactionExtensions(transaction.extensions),
    },
  };
}

interface RootAction {
  action: Action;
  decoder: AbiDecoder | undefined;
}

function createActRenderer(
  { generation }: StoredBlock,
  { decoding }: ResponseBudget,
): PartRenderer<RootAction, BlockActJson> {
  const render = (action: Action, decoder: AbiDecoder | undefined): BlockActJson => {
    const act = renderAct(action, decoder, decoding);
    return generation === 'eosio-2.1+' || act.data !== act.hex_data ? act : withoutHex(act);
  };
  return {
    undecodedBytes: ({ action }) => undecodedActBytes(action),
    sharedSize: () => NO_SIZE,
    decoded: ({ action, decoder }) => render(action, decoder),
    undecoded: ({ action }) => render(action, undefined),
    omitted: ({ action }) => renderOmittedAct(action),
  };
}

/** Without `hex_data` if the node that the block came from leaves it out. */
type BlockActJson = Omit<ActJson, 'hex_data'> & Partial<Pick<ActJson, 'hex_data'>>;

function withoutHex({ account, name, authorization, data }: ActJson): BlockActJson {
  return { account, name, authorization, data };
}

/** The position at which a root action ran or would have run, see `StoredBlock.rootSequences`. */
function positionOf(stored: StoredBlock, account: string, receiptIndex: number, rootIndex: number): AbiRequest {
  const sequences = stored.rootSequences[receiptIndex] ?? [];
  return { account, blockNum: stored.position.num, sequence: sequences[rootIndex] ?? sequences[0] ?? 0 };
}
