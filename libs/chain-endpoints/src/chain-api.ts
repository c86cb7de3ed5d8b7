import type { Express } from 'express';
import { CHAIN_ROUTES } from '@antelope-history/chain-routes';
import { type ApiDeps, createApi } from '@antelope-history/endpoint-kit';
import { createGetBlock } from './get-block';

/** The app of `/v1/chain`: blocks in the JSON of a chain node. */
export function createChainApi(deps: ApiDeps): Express {
  return createApi('chain-api', CHAIN_ROUTES, { getChainBlock: createGetBlock }, deps);
}
