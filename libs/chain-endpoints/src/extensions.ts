import { ByteReader, readSignature } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import { readArray, type Extension } from '@antelope-history/ship';
import { renderSignature } from '@antelope-history/responses';
import { readFinalityExtension, readQcExtension } from './finality';
import { readAuthoritySchedule } from './producer-schedule';

/** An extension type: its number and the JSON field that it adds (nodeos abi_serializer.hpp). */
interface ExtensionField {
  type: number;
  field: string;
  read: (reader: ByteReader) => unknown;
}

const HEADER_FIELDS: ExtensionField[] = [
  { type: 0, field: 'new_protocol_features', read: readProtocolFeatures },
  { type: 1, field: 'new_producer_schedule', read: readAuthoritySchedule },
  { type: 2, field: 'finality_extension', read: readFinalityExtension },
];

const BLOCK_FIELDS: ExtensionField[] = [
  { type: 2, field: 'additional_signatures', read: readSignatures },
  { type: 3, field: 'qc_extension', read: readQcExtension },
];

const TRANSACTION_FIELDS: ExtensionField[] = [
  { type: 0, field: 'deferred_transaction_generation', read: readDeferredGeneration },
];

/** The fields that the extensions of a block's header add. */
export function renderHeaderExtensions(extensions: Extension[]): Record<string, unknown> {
  return renderExtensions(extensions, HEADER_FIELDS);
}

/** The fields that the extensions of the block itself add. */
export function renderBlockExtensions(extensions: Extension[]): Record<string, unknown> {
  return renderExtensions(extensions, BLOCK_FIELDS);
}

/** The fields that the extensions of a transaction add. */
export function renderTransactionExtensions(extensions: Extension[]): Record<string, unknown> {
  return renderExtensions(extensions, TRANSACTION_FIELDS);
}

function renderExtensions(extensions: Extension[], fields: ExtensionField[]): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  for (const { type, field, read } of fields) {
    const extension = extensions.find((candidate) => candidate.type === type);
    const value = extension && tryRead(extension.data, read);
    if (value !== undefined) json[field] = value;
  }
  return json;
}

/** Undefined for data that do not decode: a chain with a modified node may use the number of an extension for another one. */
function tryRead(data: Buffer, read: (reader: ByteReader) => unknown): unknown {
  try {
    return read(new ByteReader(data));
  } catch (error) {
    if (error instanceof HistoryError) return undefined;
    throw error;
  }
}

function readProtocolFeatures(reader: ByteReader): unknown {
  return readArray(reader, () => ({ feature_digest: reader.slice(32).toString('hex') }));
}

function readSignatures(reader: ByteReader): unknown {
  return readArray(reader, () => renderSignature(readSignature(reader)));
}

function readDeferredGeneration(reader: ByteReader): unknown {
  const transactionId = reader.slice(32).toString('hex');
  const low = reader.uint64();
  const senderId = String((reader.uint64() << 64n) | low);
  return { sender_trx_id: transactionId, sender_id: senderId, sender: reader.name() };
}
