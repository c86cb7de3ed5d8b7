import type { CHAIN_ROUTES } from '@antelope-history/chain-routes';
import { type CreateEndpoint, isIrreversible } from '@antelope-history/endpoint-kit';
import { parseBlockNumOrId, unknownBlock } from './block-selector';
import { abisOfBlock, renderBlock } from './get-block-response';

export const createGetBlock: CreateEndpoint<typeof CHAIN_ROUTES.getChainBlock> = ({ reader, abis }) => {
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
};
