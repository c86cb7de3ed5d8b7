export * from './ack-window';
export * from './layout-compiler';
export * from './receipt-headers';
export * from './requests';
export * from './result';
export * from './ship-protocol';
export * from './table-delta';
export * from './transaction-trace';
