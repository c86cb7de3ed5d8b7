export * from './deserialize-block';
export * from './action-record-encoder';
