import { blockTimestampToString } from '@antelope-history/abi';
import type { AbiRequest, StoredBlock } from '@antelope-history/records';
import type { GetChainBlockAnswer } from '@antelope-history/schemas';
import {
  readContextFreeData,
  readPackedTransaction,
  readSignedBlock,
  readTransaction,
  type Action,
  type TransactionReceipt,
} from '@antelope-history/ship';
import { AbiRequestSet } from './abi-request-set';
import type { AbiDecoders } from './abi-decoders';
import { renderAct, type ActJson } from './act';
import { renderBlockExtensions, renderHeaderExtensions, renderTransactionExtensions } from './extensions';
import { renderProducerSchedule } from './producer-schedule';
import { renderCompression, renderSignature, renderStatus, renderTransactionHeader, toHex } from './transaction-json';

type ReceiptJson = GetChainBlockAnswer['transactions'][number];

/** The ABIs that `renderBlock` needs. */
export function abisOfBlock(block: StoredBlock): AbiRequest[] {
  const requests = new AbiRequestSet();
  readSignedBlock(block.block).receipts.forEach(({ transaction }, receiptIndex) => {
    if ('id' in transaction) return;
    const { contextFreeActions, actions } = readTransaction(readPackedTransaction(transaction.packed));
    [...contextFreeActions, ...actions].forEach(({ account }, rootIndex) =>
      requests.addPlace(placeOf(block, account, receiptIndex, rootIndex)),
    );
  });
  return requests.list();
}

/** The answer of `/v1/chain/get_block`, field for field the node's (nodeos abi_serializer.hpp, signed_block). */
export function renderBlock(stored: StoredBlock, decoders: AbiDecoders): GetChainBlockAnswer {
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
    transactions: block.receipts.map((receipt, index) => renderReceipt(receipt, stored, index, decoders)),
    ...renderBlockExtensions(block.blockExtensions),
    id,
    block_num: num,
    ref_block_prefix: Buffer.from(id, 'hex').readUInt32LE(8),
  };
}

function renderReceipt(
  receipt: TransactionReceipt,
  stored: StoredBlock,
  receiptIndex: number,
  decoders: AbiDecoders,
): ReceiptJson {
  const { transaction } = receipt;
  return {
    status: renderStatus(receipt.status),
    cpu_usage_us: receipt.cpuUsageUs,
    net_usage_words: receipt.netUsageWords,
    trx: 'id' in transaction ? transaction.id : renderTransaction(transaction.packed, stored, receiptIndex, decoders),
  };
}

function renderTransaction(
  packedTransaction: Buffer,
  stored: StoredBlock,
  receiptIndex: number,
  decoders: AbiDecoders,
): ReceiptJson['trx'] {
  const packed = readPackedTransaction(packedTransaction);
  const transaction = readTransaction(packed);
  const renderRoot = (action: Action, rootIndex: number): BlockActJson => {
    const { account, blockNum, sequence } = placeOf(stored, action.account, receiptIndex, rootIndex);
    const act = renderAct(action, decoders.at(account, blockNum, sequence));
    return stored.generation === 'leap' || act.data !== act.hex_data ? act : withoutHex(act);
  };
  const freeCount = transaction.contextFreeActions.length;
  return {
    id: transaction.id,
    signatures: packed.signatures.map(renderSignature),
    compression: renderCompression(packed.compressed),
    packed_context_free_data: toHex(packed.packedContextFreeData),
    context_free_data: readContextFreeData(packed).map(toHex),
    packed_trx: toHex(packed.packedTrx),
    transaction: {
      ...renderTransactionHeader(transaction),
      context_free_actions: transaction.contextFreeActions.map(renderRoot),
      actions: transaction.actions.map((action, index) => renderRoot(action, freeCount + index)),
      ...renderTransactionExtensions(transaction.extensions),
    },
  };
}

/** As the node that the block came from leaves it out. */
type BlockActJson = Omit<ActJson, 'hex_data'> & Partial<Pick<ActJson, 'hex_data'>>;

function withoutHex({ account, name, authorization, data }: ActJson): BlockActJson {
  return { account, name, authorization, data };
}

/** Where a root action ran, or would have run: see `StoredBlock.rootSequences`. */
function placeOf(stored: StoredBlock, account: string, receiptIndex: number, rootIndex: number): AbiRequest {
  const sequences = stored.rootSequences[receiptIndex] ?? [];
  return { account, blockNum: stored.position.num, sequence: sequences[rootIndex] ?? sequences[0] ?? 0 };
}
