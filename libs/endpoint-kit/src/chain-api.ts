import type { Express } from 'express';
import { ROUTES } from '@antelope-history/routes';
import { createGetChainBlock } from './endpoints/get-chain-block';
import { createApi, type ApiDeps, serve } from './create-api';

/** `/v1/chain/get_block`. */
export function createChainApi(deps: ApiDeps): Express {
  return createApi('chain-api', deps, [serve(ROUTES.getChainBlock, createGetChainBlock, { mayBeFinal: true })]);
}
