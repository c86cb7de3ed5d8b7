import type { ByteReader } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import { unsupported } from './layout-bounds';
import type { LayoutCompiler, Read } from './layout-compiler';
import { compilePrunableData, PrunableView } from './prunable-data';

/** Receives the bytes of a block in the plain layout, see `SignedBlock`. */
type OnBlock = (block: Buffer) => void;

const HEADER = [
  'timestamp: block_timestamp_type',
  'producer: name',
  'confirmed: uint16',
  'previous: checksum256',
  'transaction_mroot: checksum256',
  'action_mroot: checksum256',
  'schedule_version: uint32',
  'new_producers: producer_schedule?',
  'header_extensions: extension[]',
  'producer_signature: signature',
];

const RECEIPT_HEADER = ['status: uint8', 'cpu_usage_us: uint32', 'net_usage_words: varuint32'];
const PACKED_TRANSACTION = 1;

/**
 * Compiles the reader of EOSIO 2.1's `signed_block_variant`. The reader converts a block to the plain layout of all other
 * versions: `signed_block_v0` has that layout; `signed_block_v1` stores the prunable data of transactions separately.
 */
export function compileBlockVariant(layouts: LayoutCompiler, typeName: string): Read<OnBlock> {
  return layouts.variant(typeName, (type) => {
    if (type === 'signed_block_v0') return compilePlainBlock(layouts, type);
    if (type === 'signed_block_v1') return compilePrunableBlock(layouts, type);
    throw unsupported(`${typeName} has the unknown alternative ${type}`);
  });
}

function compilePlainBlock(layouts: LayoutCompiler, type: string): Read<OnBlock> {
  layouts.expectExact(type, [...HEADER, 'transactions: transaction_receipt_v0[]', 'block_extensions: extension[]']);
  layouts.expectExact('transaction_receipt_v0', [...RECEIPT_HEADER, 'trx: transaction_variant_v0']);
  layouts.expectExact('packed_transaction_v0', [
    'signatures: signature[]',
    'compression: uint8',
    'packed_context_free_data: bytes',
    'packed_trx: bytes',
  ]);
  const skipBlock = layouts.skip(type);
  return (reader, onBlock) => {
    const start = reader.offset;
    skipBlock(reader);
    onBlock(reader.bytes.subarray(start, reader.offset));
  };
}

function compilePrunableBlock(layouts: LayoutCompiler, type: string): Read<OnBlock> {
  layouts.expectExact(type, [
    ...HEADER,
    'prune_state: uint8',
    'transactions: transaction_receipt_v1[]',
    'block_extensions: extension[]',
  ]);
  const skipHeader = layouts.skip('signed_block_header');
  const skipExtensions = layouts.skip('extension[]');
  const readReceipt = compilePrunableReceipt(layouts);
  return (reader, onBlock) => {
    const parts: Buffer[] = [skippedBytes(reader, skipHeader)];
    reader.skip(1);
    const start = reader.offset;
    const receipts = reader.varuint32();
    parts.push(reader.bytes.subarray(start, reader.offset));
    for (let index = 0; index < receipts; index++) readReceipt(reader, parts);
    parts.push(skippedBytes(reader, skipExtensions));
    onBlock(Buffer.concat(parts));
  };
}

/**
 * Compiles a reader that appends a receipt in the plain layout, where a packed transaction has the fields signatures,
 * compression, packed_context_free_data and packed_trx.
 */
function compilePrunableReceipt(layouts: LayoutCompiler): Read<Buffer[]> {
  layouts.expectExact('signed_block_header', HEADER);
  layouts.expectExact('transaction_receipt_v1', [...RECEIPT_HEADER, 'trx: transaction_variant_v1']);
  const prunableType = layouts.fieldsOf('packed_transaction_v1')?.get('prunable_data') ?? 'prunable_data_type';
  layouts.expectExact('packed_transaction_v1', [
    'compression: uint8',
    `prunable_data: ${prunableType}`,
    'packed_trx: bytes',
  ]);
  const skipReceiptHeader = layouts.skip('transaction_receipt_header');
  const skipBytes = layouts.skip('bytes');
  const readPrunable = compilePrunableData(layouts, prunableType);
  return (reader, parts) => {
    parts.push(skippedBytes(reader, skipReceiptHeader));
    const tagAt = reader.offset;
    if (reader.varuint32() !== PACKED_TRANSACTION) {
      reader.skip(32);
      parts.push(reader.bytes.subarray(tagAt, reader.offset));
      return;
    }
    parts.push(reader.bytes.subarray(tagAt, reader.offset));
    const compression = reader.slice(1);
    const prunable = new PrunableView();
    readPrunable(reader, prunable);
    if (prunable.signaturesAt < 0 || prunable.contextFreeAt < 0) {
      throw new HistoryError('SHIP_UNSUPPORTED', `a block contains a transaction with ${prunable.alternative}`);
    }
    const signatures = reader.bytes.subarray(prunable.signaturesAt, prunable.signaturesEnd);
    const contextFree = reader.bytes.subarray(prunable.contextFreeAt, prunable.contextFreeEnd);
    parts.push(signatures, compression, contextFree, skippedBytes(reader, skipBytes));
  };
}

/** Skips a value and returns its bytes as a view. */
function skippedBytes(reader: ByteReader, skip: (reader: ByteReader) => void): Buffer {
  const start = reader.offset;
  skip(reader);
  return reader.bytes.subarray(start, reader.offset);
}
