import { HistoryError } from '@antelope-history/schemas';
import { readAsset, readExtendedAsset, readSymbol, readSymbolCode } from './asset';
import type { ByteReader } from './byte-reader';
import type { DecodeBudget } from './decode-budget';
import { readFloat128, readFloat32, readFloat64 } from './float';
import { readInt128, readInt64, readUint128, readUint64 } from './integer';
import type { JsonValue, JsonWriter } from '@antelope-history/json';
import { publicKeyToString, readPublicKey } from './public-key';
import { readSignature, signatureToString } from './signature';
import { blockTimestampToString, timePointSecToString, timePointToString } from './time';
import { utf8ToString } from './utf8';

/** Reads one value and returns its JSON form. Throws `DECODE_FAILED` where the node fails to unpack. */
export type ValueDecoder = (reader: ByteReader, budget: DecodeBudget) => JsonValue;

/** Reads one value and writes its JSON. Throws as the `ValueDecoder` of the type does; what it wrote until then stays. */
export type ValueWriter = (out: JsonWriter, reader: ByteReader, budget: DecodeBudget) => void;

export interface ValueType {
  decode: ValueDecoder;
  /** Writes what `decode` returns without making an object of it. Only for types for which that is faster, see `writeValue`. */
  write?: ValueWriter | undefined;
  /**
   * Cost of a value in the output budget: the length of its JSON text, with a surcharge if reading or printing takes
   * longer than the length suggests. `decode` spends the part of the cost that depends on the value.
   */
  cost: number;
}

/** Reads a value and writes its JSON. */
export function writeValue(type: ValueType, out: JsonWriter, reader: ByteReader, budget: DecodeBudget): void {
  if (type.write) type.write(out, reader, budget);
  else out.value(type.decode(reader, budget));
}

/** The cost of a key or signature exceeds its length, because base58 and a hash take far longer to compute. */
const KEY_COST = 500;
const SIGNATURE_COST = 600;

/**
 * The types that every ABI has, in the JSON form of nodeos (libraries/chain/abi_serializer.cpp configure_built_in_types;
 * bitset since ABI version 1.3).
 */
export const BUILTIN_TYPES: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['bool', { decode: (reader) => reader.uint8(), cost: 3 }],
  ['int8', { decode: (reader) => reader.int8(), cost: 4 }],
  ['uint8', { decode: (reader) => reader.uint8(), cost: 3 }],
  ['int16', { decode: (reader) => reader.int16(), cost: 6 }],
  ['uint16', { decode: (reader) => reader.uint16(), cost: 5 }],
  ['int32', { decode: (reader) => reader.int32(), cost: 11 }],
  ['uint32', { decode: (reader) => reader.uint32(), cost: 10 }],
  ['int64', { decode: readInt64, cost: 84 }],
  ['uint64', { decode: readUint64, cost: 30 }],
  ['int128', { decode: readInt128, cost: 42 }],
  ['uint128', { decode: readUint128, cost: 42 }],
  ['varint32', { decode: (reader) => reader.varint32(), cost: 11 }],
  ['varuint32', { decode: (reader) => reader.varuint32(), cost: 10 }],
  ['float32', { decode: spendingItsLength(readFloat32), cost: 24 }],
  ['float64', { decode: spendingItsLength(readFloat64), cost: 24 }],
  ['float128', { decode: readFloat128, cost: 36 }],
  ['time_point', { decode: (reader) => timePointToString(reader.int64()), cost: 60 }],
  ['time_point_sec', { decode: (reader) => timePointSecToString(reader.uint32()), cost: 80 }],
  ['block_timestamp_type', { decode: (reader) => blockTimestampToString(reader.uint32()), cost: 80 }],
  ['name', { decode: (reader) => reader.name(), write: writingAscii((reader) => reader.name()), cost: 22 }],
  ['bytes', { decode: readBytes, write: writeBytes, cost: 12 }],
  ['string', { decode: readString, write: writeString, cost: 20 }],
  ['checksum160', checksum(20, 42)],
  ['checksum256', checksum(32, 66)],
  ['checksum512', checksum(64, 130)],
  ['public_key', { decode: readKeyText, cost: KEY_COST }],
  ['signature', { decode: readSignatureText, cost: SIGNATURE_COST }],
  ['symbol', { decode: readSymbol, cost: 12 }],
  ['symbol_code', { decode: readSymbolCode, cost: 9 }],
  ['asset', { decode: readAsset, write: writingAscii(readAsset), cost: 56 }],
  ['extended_asset', { decode: readExtendedAsset, cost: 96 }],
  ['bitset', { decode: readBitset, cost: 14 }],
]);

function spendingItsLength(read: (reader: ByteReader) => string): ValueDecoder {
  return (reader, budget) => {
    const text = read(reader);
    budget.spend(text.length);
    return text;
  };
}

/** For texts without characters that JSON escapes. */
function writingAscii(read: (reader: ByteReader) => string): ValueWriter {
  return (out, reader) => out.raw('"').raw(read(reader)).raw('"');
}

function checksum(bytes: number, cost: number): ValueType {
  return {
    decode: (reader) => reader.slice(bytes).toString('hex'),
    write: (out, reader) => out.hex(reader.slice(bytes)),
    cost,
  };
}

function writeBytes(out: JsonWriter, reader: ByteReader, budget: DecodeBudget): void {
  const bytes = reader.lengthPrefixed();
  budget.spend(bytes.length * 2);
  out.hex(bytes);
}

function readBytes(reader: ByteReader, budget: DecodeBudget): string {
  const bytes = reader.lengthPrefixed();
  budget.spend(bytes.length * 2);
  return bytes.toString('hex');
}

function readString(reader: ByteReader, budget: DecodeBudget): string {
  const bytes = reader.lengthPrefixed();
  budget.spend(escapedLength(bytes));
  return utf8ToString(bytes);
}

/** Most strings are plain: those are copied without making a string of them. */
function writeString(out: JsonWriter, reader: ByteReader, budget: DecodeBudget): void {
  const bytes = reader.lengthPrefixed();
  budget.spend(escapedLength(bytes));
  if (!out.plain(bytes)) out.string(utf8ToString(bytes));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A control character prints as `\u0001`. */
const ESCAPE_LENGTH = 6;

/** Upper bound of the text's length in JSON, which escapes control characters, quotes and backslashes. */
function escapedLength(bytes: Buffer): number {
  let length = bytes.length;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte < 0x20) length += ESCAPE_LENGTH - 1;
    else if (byte === QUOTE || byte === BACKSLASH) length += 1;
  }
  return length;
}

function readKeyText(reader: ByteReader, budget: DecodeBudget): string {
  const key = readPublicKey(reader);
  budget.spend(base58Cost(key.length));
  return publicKeyToString(key);
}

function readSignatureText(reader: ByteReader, budget: DecodeBudget): string {
  const signature = readSignature(reader);
  budget.spend(base58Cost(signature.length));
  return signatureToString(signature);
}

/** The time of base58 grows with the square of the length. `KEY_COST` and `SIGNATURE_COST` include lengths below 100. */
function base58Cost(length: number): number {
  return length < 100 ? 0 : (length * length) >>> 4;
}

/** Reads the number of bits and the bits in whole bytes, lowest bit first. The text has the highest bit first. */
function readBitset(reader: ByteReader, budget: DecodeBudget): string {
  const size = reader.varuint32();
  const bytes = Math.ceil(size / 8);
  if (bytes > reader.remaining()) {
    throw new HistoryError('DECODE_FAILED', `a bitset of ${size} bits at byte ${reader.offset} exceeds the data`);
  }
  budget.spend(size * 2);
  const blocks = reader.slice(bytes);
  let bits = '';
  for (let i = bytes - 1; i >= 0; i--) bits += blocks[i]!.toString(2).padStart(8, '0');
  return bits.slice(bits.length - size);
}
