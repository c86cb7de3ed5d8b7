export { type AbiDecoders, createAbiDecoders } from './abi-decoders';
export { AbiRequestSet } from './abi-request-set';
export * from './act';
export * from './action-records';
export * from './integer64';
export * from './print-parts';
export { type JsonSize, NO_SIZE, RESPONSE_LIMITS, ResponseBudget, type ResponseLimits } from './response-budget';
export * from './transaction-json';
