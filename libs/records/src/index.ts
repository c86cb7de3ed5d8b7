export * from './action-record';
export * from './block-records';
export * from './listed-positions';
export * from './packed-action';
export * from './read-varuint';
export * from './record-writer';
export { blockRecordsCodec } from './block-records-codec';
export { rawBlockCodec } from './raw-block-codec';
export { readTransactionHeader, type TransactionHeader, writeTransactionHeader } from './transaction-header';
