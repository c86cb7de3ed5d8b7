import { abisOfBlock, renderBlock } from '@antelope-history/responses';
import type { ROUTES } from '@antelope-history/routes';
import { parseBlockNumOrId, unknownBlock } from '../block-selector';
import type { Endpoint, EndpointContext } from '../endpoint';
import { isIrreversible } from '../irreversible';

export function createGetChainBlock({ reader, abis }: EndpointContext): Endpoint<typeof ROUTES.getChainBlock> {
  return async (request, work) => {
    const selector = parseBlockNumOrId('block_num_or_id', request.block_num_or_id);
    const { found, decoders } = await abis.read(
      work,
      () => reader.getBlock(selector),
      ({ block }) => (block ? work.run(abisOfBlock(block)) : []),
    );
    if (!found.block) throw unknownBlock(request.block_num_or_id);
    const { status } = found;
    const { num, id } = found.block.position;
    return {
      body: await work.run(renderBlock(found.block, decoders, work.budget)),
      final: isIrreversible(num, status) ? { id, blockNum: num, status } : undefined,
    };
  };
}
