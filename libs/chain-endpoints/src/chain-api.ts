import type { Express } from 'express';
import { CHAIN_ROUTES } from '@antelope-history/chain-routes';
import { type ApiDeps, createApi, createResponders, type Respond } from '@antelope-history/endpoint-kit';
import { createGetBlock } from './get-block';

const NAME = 'chain-api';
const ENDPOINTS = { getChainBlock: createGetBlock };

/** The app of `/v1/chain`: blocks in the JSON of a chain node. */
export function createChainApi(deps: ApiDeps): Express {
  return createApi(NAME, CHAIN_ROUTES, ENDPOINTS, deps);
}

/** The same endpoints without HTTP, by path. */
export function createChainResponders(deps: ApiDeps): Map<string, Respond> {
  return createResponders(NAME, CHAIN_ROUTES, ENDPOINTS, deps);
}
