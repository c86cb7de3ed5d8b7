import { abisOfBlock, renderBlock } from '@antelope-history/answers';
import type { ROUTES } from '@antelope-history/schemas';
import type { BlockLookup } from '@antelope-history/store';
import { parseBlockNumOrId, unknownBlock } from '../block-selector';
import type { Endpoint, EndpointContext } from '../endpoint';
import { isIrreversible } from '../irreversible';

export function createGetChainBlock({ reader, abis }: EndpointContext): Endpoint<typeof ROUTES.getChainBlock> {
  return async (request) => {
    const selector = parseBlockNumOrId('block_num_or_id', request.block_num_or_id);
    const { found, decoders } = await abis.read(() => reader.getBlock(selector), abisOfLookup);
    if (!found.block) throw unknownBlock(request.block_num_or_id);
    const { status } = found;
    const { num, id } = found.block.position;
    return {
      body: renderBlock(found.block, decoders),
      final: isIrreversible(num, status) ? { id, blockNum: num, status } : undefined,
    };
  };
}

function abisOfLookup({ block }: BlockLookup) {
  return block ? abisOfBlock(block) : [];
}
