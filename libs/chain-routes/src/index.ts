export type { GetChainBlockRequest, GetChainBlockResponse } from './get-block';
export * from './chain-routes';
