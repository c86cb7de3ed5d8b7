import type { ByteReader } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import { unsupported } from './layout-bounds';
import type { LayoutCompiler, Read } from './layout-compiler';
import { compilePrunableData, PrunableView } from './prunable-data';

/** Gets the bytes of a block in the plain layout, see `SignedBlock`. */
type GotBlock = (block: Buffer) => void;

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
 * Compiles the reader of EOSIO 2.1's `signed_block_variant`, which gives the block in the plain layout of all other
 * versions: `signed_block_v0` is that layout; `signed_block_v1` keeps what may be pruned of its transactions apart.
 */
export function compileBlockVariant(layouts: LayoutCompiler, typeName: string): Read<GotBlock> {
  return layouts.variant(typeName, (type) => {
    if (type === 'signed_block_v0') return compilePlainBlock(layouts, type);
    if (type === 'signed_block_v1') return compilePrunableBlock(layouts, type);
    throw unsupported(`${typeName} has the alternative ${type}`);
  });
}

function compilePlainBlock(layouts: LayoutCompiler, type: string): Read<GotBlock> {
  layouts.expectExact(type, [...HEADER, 'transactions: transaction_receipt_v0[]', 'block_extensions: extension[]']);
  layouts.expectExact('transaction_receipt_v0', [...RECEIPT_HEADER, 'trx: transaction_variant_v0']);
  layouts.expectExact('packed_transaction_v0', [
    'signatures: signature[]',
    'compression: uint8',
    'packed_context_free_data: bytes',
    'packed_trx: bytes',
  ]);
  const skipBlock = layouts.skip(type);
  return (reader, got) => {
    const start = reader.offset;
    skipBlock(reader);
    got(reader.bytes.subarray(start, reader.offset));
  };
}

function compilePrunableBlock(layouts: LayoutCompiler, type: string): Read<GotBlock> {
  layouts.expectExact(type, [
    ...HEADER,
    'prune_state: uint8',
    'transactions: transaction_receipt_v1[]',
    'block_extensions: extension[]',
  ]);
  const skipHeader = layouts.skip('signed_block_header');
  const skipExtensions = layouts.skip('extension[]');
  const readReceipt = compilePrunableReceipt(layouts);
  return (reader, got) => {
    const parts: Buffer[] = [copyOf(reader, skipHeader)];
    reader.skip(1);
    const start = reader.offset;
    const receipts = reader.varuint32();
    parts.push(reader.bytes.subarray(start, reader.offset));
    for (let index = 0; index < receipts; index++) readReceipt(reader, parts);
    parts.push(copyOf(reader, skipExtensions));
    got(Buffer.concat(parts));
  };
}

/** Appends a receipt in the plain layout: signatures | compression | packed_context_free_data | packed_trx. */
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
    parts.push(copyOf(reader, skipReceiptHeader));
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
      throw new HistoryError('SHIP_UNSUPPORTED', `a block holds a transaction with ${prunable.kind}`);
    }
    const signatures = reader.bytes.subarray(prunable.signaturesAt, prunable.signaturesEnd);
    const contextFree = reader.bytes.subarray(prunable.contextFreeAt, prunable.contextFreeEnd);
    parts.push(signatures, compression, contextFree, copyOf(reader, skipBytes));
  };
}

/** The bytes that a reading passes over. */
function copyOf(reader: ByteReader, skip: (reader: ByteReader) => void): Buffer {
  const start = reader.offset;
  skip(reader);
  return reader.bytes.subarray(start, reader.offset);
}
