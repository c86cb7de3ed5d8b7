import { type CreateEndpoint, isIrreversible, parseBlockId } from '@antelope-history/endpoint-kit';
import { HistoryError, MAX_BLOCK_NUM } from '@antelope-history/schemas';
import type { BlockSelector, BlockTracesLookup, SearchPause } from '@antelope-history/store';
import type { GetTraceBlockRequest, TRACE_ROUTES } from '@antelope-history/trace-routes';
import { abisOfBlockTraces, renderBlockTraces } from './get-block-response';

export const createGetBlock: CreateEndpoint<typeof TRACE_ROUTES.getTraceBlock> = ({ reader, abis }) => {
  return async (request, work) => {
    const selector = toBlockSelector(request);
    const pause: SearchPause = (steps) => work.pauseSearch(steps);
    const { found, decoders } = await abis.read(work, () => reader.getBlockTraces(selector, pause), abisOfLookup);
    const { block, transactions, status } = found;
    if (!block?.hasTraces) throw new HistoryError('BLOCK_TRACE_MISSING', 'Trace API: block trace missing');
    const { id, num } = block.position;
    const isFinal = selector !== 'latest' && isIrreversible(num, status);
    return {
      body: await work.run(renderBlockTraces({ block, transactions, status }, decoders, work.budget)),
      final: isFinal ? { id, blockNum: num, status } : undefined,
    };
  };
};

function toBlockSelector({ block_num, block_id }: GetTraceBlockRequest): BlockSelector {
  if (block_id !== undefined) return parseBlockId('block_id', block_id);
  if (block_num === -1) return 'latest';
  if (block_num !== undefined && block_num >= 0 && block_num <= MAX_BLOCK_NUM) return { num: block_num };
  throw new HistoryError(
    'INVALID_BLOCK_ID',
    `give block_num, a block number from 0 to ${MAX_BLOCK_NUM} or -1 for the latest block, or block_id`,
  );
}

function abisOfLookup({ block, transactions, status }: BlockTracesLookup) {
  return block ? abisOfBlockTraces({ block, transactions, status }) : [];
}
