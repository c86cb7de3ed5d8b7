export * from './comparison';
export * from './model-history';
export * from './packed-action';
export * from './recorded-blocks';
export * from './store-contract';
export * from './store-under-test';
export * from './synthetic-chain';
