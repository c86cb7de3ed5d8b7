export * from './ack-window';
export * from './layout-compiler';
export * from './requests';
export * from './result';
export * from './ship-protocol';
export * from './signed-block';
export * from './table-delta';
export * from './transaction-trace';
