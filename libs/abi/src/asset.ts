import { HistoryError } from '@antelope-history/schemas';
import type { ByteReader } from './byte-reader';
import { decimal, decimalOfNegated } from './integer';
import type { JsonObject } from '@antelope-history/json';

/**
 * Symbols and assets with the node's checks (nodeos libraries/chain/include/eosio/chain/symbol.hpp, asset.hpp): at
 * most 18 decimals, a symbol name of A-Z, an amount within 2^62. A value that fails a check throws `DECODE_FAILED`; the
 * node fails to unpack it.
 */

const MAX_PRECISION = 18;
const MAX_AMOUNT_HIGH = 0x40000000;

/** "EOS". A node shifts the code by the byte of a precision (symbol.hpp, to_variant of symbol_code), which drops the eighth one. */
export function readSymbolCode(reader: ByteReader): string {
  const at = reader.offset;
  reader.skip(8);
  return symbolName(reader.bytes, at, 7);
}

/** "4,EOS" */
export function readSymbol(reader: ByteReader): string {
  const precision = readPrecision(reader);
  return `${precision},${readSymbolName(reader)}`;
}

/** "1.0000 EOS" */
export function readAsset(reader: ByteReader): string {
  const at = reader.offset;
  const low = reader.uint32();
  const high = reader.int32();
  const negative = high < 0;
  if (high >= MAX_AMOUNT_HIGH || high < -MAX_AMOUNT_HIGH || (high === -MAX_AMOUNT_HIGH && low === 0)) {
    throw invalid(at, 'an asset amount beyond 2^62');
  }
  const digits = negative ? decimalOfNegated(high, low) : decimal(high, low);
  const precision = readPrecision(reader);
  return `${negative ? '-' : ''}${withPoint(digits, precision)} ${readSymbolName(reader)}`;
}

/** {"quantity":"1.0000 EOS","contract":"eosio.token"} */
export function readExtendedAsset(reader: ByteReader): JsonObject {
  const quantity = readAsset(reader);
  return { quantity, contract: reader.name() };
}

function withPoint(digits: string, precision: number): string {
  if (precision === 0) return digits;
  const padded = digits.padStart(precision + 1, '0');
  return `${padded.slice(0, -precision)}.${padded.slice(-precision)}`;
}

function readPrecision(reader: ByteReader): number {
  const precision = reader.uint8();
  if (precision > MAX_PRECISION) throw invalid(reader.offset - 1, `a symbol with ${precision} decimals`);
  return precision;
}

function readSymbolName(reader: ByteReader): string {
  const at = reader.offset;
  reader.skip(7);
  return symbolName(reader.bytes, at, 7);
}

/** Reads up to `size` characters, followed by zeros only. The name may be empty, as in the node. */
function symbolName(bytes: Buffer, at: number, size: number): string {
  let length = size;
  while (length > 0 && bytes[at + length - 1] === 0) length--;
  let name = '';
  for (let i = at; i < at + length; i++) {
    const code = bytes[i]!;
    if (code < 0x41 || code > 0x5a) throw invalid(i, 'a symbol name with characters other than A-Z');
    name += String.fromCharCode(code);
  }
  return name;
}

function invalid(at: number, what: string): HistoryError {
  return new HistoryError('DECODE_FAILED', `${what} at byte ${at}`);
}
