import { blockTimestampToString } from '@antelope-history/abi';
import type { CHAIN_ROUTES, GetBlockInfoResponse } from '@antelope-history/chain-routes';
import { type CreateEndpoint, isIrreversible } from '@antelope-history/endpoint-kit';
import { renderSignature } from '@antelope-history/responses';
import { readSignedBlock } from '@antelope-history/ship';
import type { StoredBlock } from '@antelope-history/store';
import { refBlockPrefix } from './block-header';
import { unknownBlock } from './block-selector';

export const createGetBlockInfo: CreateEndpoint<typeof CHAIN_ROUTES.getBlockInfo> = ({ reader }) => {
  return async ({ block_num: num }) => {
    const { status, block } = await reader.getBlock({ num });
    if (!block) throw unknownBlock(num);
    const final = isIrreversible(num, status) ? { id: block.position.id, blockNum: num, status } : undefined;
    return { body: renderBlockInfo(block), final };
  };
};

/** In the order of the node (nodeos plugins/chain_plugin, get_block_info). */
function renderBlockInfo({ position: { num, id }, block }: StoredBlock): GetBlockInfoResponse {
  const header = readSignedBlock(block);
  return {
    block_num: num,
    ref_block_num: num & 0xffff,
    id,
    timestamp: blockTimestampToString(header.timestamp),
    producer: header.producer,
    confirmed: header.confirmed,
    previous: header.previous,
    transaction_mroot: header.transactionMroot,
    action_mroot: header.actionMroot,
    schedule_version: header.scheduleVersion,
    producer_signature: renderSignature(header.producerSignature),
    ref_block_prefix: refBlockPrefix(id),
  };
}
