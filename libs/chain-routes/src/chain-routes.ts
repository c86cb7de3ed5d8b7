import type { RouteTable } from '@antelope-history/schemas';
import { getAbi, getRawAbi } from './get-abi';
import { getChainBlock } from './get-block';
import { getBlockInfo } from './get-block-info';
import { getInfo } from './get-info';

/** `/v1/chain`: the state of the chain, its blocks and ABIs, in the JSON of a chain node. */
export const CHAIN_ROUTES = { getChainBlock, getBlockInfo, getInfo, getAbi, getRawAbi } as const satisfies RouteTable;
