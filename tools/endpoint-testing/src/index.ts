export * from './api-client';
export * from './api-deps';
export * from './make-action';
export * from './make-decoders';
export * from './recorded-chain';
export * from './response-cache-cases';
export * from './run-steps';
export * from './sample-reader';
