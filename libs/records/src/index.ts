export * from './action-record';
export * from './block-records';
export * from './deserialize-block';
export * from './record-writer';
export * from './stored';
