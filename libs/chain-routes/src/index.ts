export type { GetChainBlockRequest, GetChainBlockResponse } from './get-block';
export type { GetBlockInfoRequest, GetBlockInfoResponse } from './get-block-info';
export type { AbiJson, GetAbiRequest, GetAbiResponse, GetRawAbiRequest, GetRawAbiResponse } from './get-abi';
export { nodeInfo } from './get-info';
export type { GetInfoRequest, GetInfoResponse, NodeInfo } from './get-info';
export * from './chain-routes';
