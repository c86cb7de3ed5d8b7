import type { RouteTable } from '@antelope-history/schemas';
import { getChainBlock } from './get-block';

/** `/v1/chain`: blocks in the JSON of a chain node. */
export const CHAIN_ROUTES = { getChainBlock } as const satisfies RouteTable;
