export { type AbiReader, createAbiReader } from './abi-reader';
export * from './block-id';
export { createHealthReader, createStateReader } from './chain-health';
export { countChainStatus } from './chain-metrics';
export { createApi } from './create-api';
export type { HttpApp } from '@antelope-history/app-runtime';
export type {
  CreateEndpoint,
  Endpoint,
  EndpointContext,
  EndpointResponse,
  FinalFacts,
  SentDataFilters,
} from './endpoint';
export * from './irreversible';
export { type LargeResponseLimit, LargeResponses } from './large-responses';
export { readOneBranch } from './read-one-branch';
export { RequestWork } from './request-work';
export * from './names';
export * from './responders';
export * from './unknown-fields';
