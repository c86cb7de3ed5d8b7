import type { Express } from 'express';
import { ROUTES } from '@antelope-history/schemas';
import { createGetChainBlock } from './endpoints/get-chain-block';
import { createQueryApp, type QueryApiDeps, serve } from './query-app';

/** `/v1/chain/get_block`. */
export function createChainApi(deps: QueryApiDeps): Express {
  return createQueryApp('chain-api', deps, [serve(ROUTES.getChainBlock, createGetChainBlock, { mayBeFinal: true })]);
}
