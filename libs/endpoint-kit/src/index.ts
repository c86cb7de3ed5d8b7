export type { AbiReader } from './abi-reader';
export * from './block-id';
export { createHealthReader, createStateReader } from './chain-health';
export { type ApiDeps, createApi, type EndpointsOf } from './create-api';
export type { CreateEndpoint, Endpoint, EndpointContext, EndpointResponse, FinalFacts } from './endpoint';
export * from './irreversible';
export { LargeResponses } from './large-responses';
export type { RequestWork } from './request-work';
