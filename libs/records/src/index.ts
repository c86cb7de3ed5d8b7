export * from './act-digest';
export * from './action-record';
export * from './block-records';
export * from './digest-writer';
export * from './further-traces';
export * from './listed-positions';
export * from './packed-action';
export * from './read-varuint';
export * from './receipt-actors';
export { copyReceipt, DIGEST_CHECK_BYTES } from './record-receipt';
export * from './record-writer';
export * from './state-completeness';
export { blockRecordsCodec } from './block-records-codec';
export { rawBlockCodec } from './raw-block-codec';
export {
  readMany,
  readTransactionExtent,
  readTransactionFields,
  readTransactionHeader,
  type TransactionExtent,
  type TransactionHeader,
  writeTransactionFields,
  writeTransactionHeader,
} from './transaction-header';
