import { blockTimestampToString } from '@antelope-history/abi';
import type { CHAIN_ROUTES, GetInfoResponse } from '@antelope-history/chain-routes';
import { type CreateEndpoint, readOneBranch } from '@antelope-history/endpoint-kit';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import type { ChainStatus } from '@antelope-history/store';
import { type HeaderFacts, HeaderReader } from './block-header';
import type { ReadNodeInfo, ReportedNodeInfo } from './node-info';

const NO_BLOCK: BlockPosition = { num: 0, id: '0'.repeat(64) };

/** All numbers and ids come from one status, and the times and the producer belong to those ids. */
export function createGetInfo(readNodeInfo: ReadNodeInfo): CreateEndpoint<typeof CHAIN_ROUTES.getInfo> {
  return ({ reader }) => {
    const headers = new HeaderReader(reader);
    return async () => {
      const reported = readNodeInfo();
      return readOneBranch(async () => {
        const status = await reader.getStatus();
        const { committed, firstBlockNum } = status;
        // The node sends no block with a snapshot's state: nothing can be said before the next one.
        if (!committed || firstBlockNum === undefined)
          throw new HistoryError('UNAVAILABLE', 'no block is committed yet: try again');
        const head = await headers.read(committed.id);
        if (!head) return undefined;
        const irreversible = lastIrreversibleOf(status, committed);
        const last = await headers.read(irreversible.id);
        const shown = { ...status, firstBlockNum };
        return { body: renderInfo(shown, { ...committed, ...head }, { ...irreversible, ...last }, await reported) };
      });
    };
  };
}

/** A node reports its own last irreversible block, which is above the committed head while the service catches up. */
function lastIrreversibleOf({ lastIrreversible = NO_BLOCK }: ChainStatus, committed: BlockPosition): BlockPosition {
  return lastIrreversible.num > committed.num ? committed : lastIrreversible;
}

/** In the order of the node (nodeos plugins/chain_plugin, get_info_results). JSON leaves out undefined fields. */
function renderInfo(
  { chainId, firstBlockNum }: Pick<ChainStatus, 'chainId'> & { firstBlockNum: number },
  head: BlockPosition & HeaderFacts,
  last: BlockPosition & Partial<HeaderFacts>,
  reported: ReportedNodeInfo | undefined,
): GetInfoResponse {
  const isOfThisChain = chainId === undefined || reported?.chainId === chainId;
  const node = isOfThisChain ? reported?.info : undefined;
  return {
    server_version: node?.server_version,
    chain_id: chainId ?? reported?.chainId,
    head_block_num: head.num,
    last_irreversible_block_num: last.num,
    last_irreversible_block_id: last.id,
    head_block_id: head.id,
    head_block_time: blockTimestampToString(head.timestamp),
    head_block_producer: head.producer,
    virtual_block_cpu_limit: node?.virtual_block_cpu_limit,
    virtual_block_net_limit: node?.virtual_block_net_limit,
    block_cpu_limit: node?.block_cpu_limit,
    block_net_limit: node?.block_net_limit,
    server_version_string: node?.server_version_string,
    fork_db_head_block_num: head.num,
    fork_db_head_block_id: head.id,
    server_full_version_string: node?.server_full_version_string,
    total_cpu_weight: node?.total_cpu_weight,
    total_net_weight: node?.total_net_weight,
    earliest_available_block_num: firstBlockNum,
    last_irreversible_block_time: last.timestamp === undefined ? undefined : blockTimestampToString(last.timestamp),
  };
}
