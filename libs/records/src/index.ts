export * from './block-records';
export * from './action-record';
export * from './stored';
