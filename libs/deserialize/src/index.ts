export * from './deserialize-block';
export * from './encode-action-record';
