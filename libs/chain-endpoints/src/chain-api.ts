import { CHAIN_ROUTES } from '@antelope-history/chain-routes';
import { type ApiDeps, createApi, createResponders, type HttpApp, type Respond } from '@antelope-history/endpoint-kit';
import { createGetAbi } from './get-abi';
import { createGetBlock } from './get-block';
import { createGetBlockInfo } from './get-block-info';
import { createGetInfo } from './get-info';
import { createGetRawAbi } from './get-raw-abi';
import { createNodeInfoReader } from './node-info';

const NAME = 'chain-api';

/** The app of `/v1/chain`: the state of the chain and its blocks, in the JSON of a chain node. */
export function createChainApi(deps: ApiDeps): HttpApp {
  return createApi(NAME, CHAIN_ROUTES, endpointsOf(deps), deps);
}

/** The same endpoints without HTTP, by path. */
export function createChainResponders(deps: ApiDeps): Map<string, Respond> {
  return createResponders(NAME, CHAIN_ROUTES, endpointsOf(deps), deps);
}

function endpointsOf({ chainNodeUrls = [] }: ApiDeps) {
  return {
    getChainBlock: createGetBlock,
    getBlockInfo: createGetBlockInfo,
    getInfo: createGetInfo(createNodeInfoReader(chainNodeUrls)),
    getAbi: createGetAbi,
    getRawAbi: createGetRawAbi,
  };
}
