import { z } from 'zod';
import { blockNum, blockTime, defineRoute, id, integer64, name } from '@antelope-history/schemas';
import example from './get-info.example.json';

const request = z.object({}).meta({ id: 'GetInfoRequest' });

const ofNode = 'Of the configured chain node; absent without one, or while none responds.';

/**
 * The fields that only a chain node knows: its version, and limits that depend on the load of its machine or on state that
 * is not indexed.
 */
export const nodeInfo = z.object({
  server_version: z.string().max(64).describe(ofNode),
  virtual_block_cpu_limit: integer64.describe(ofNode),
  virtual_block_net_limit: integer64.describe(ofNode),
  block_cpu_limit: integer64.describe(ofNode),
  block_net_limit: integer64.describe(ofNode),
  server_version_string: z.string().max(256).describe(ofNode),
  server_full_version_string: z.string().max(256).describe(ofNode),
  total_cpu_weight: integer64.describe(ofNode),
  total_net_weight: integer64.describe(ofNode),
});
const optionalNodeInfo = nodeInfo.partial().shape;

const response = z
  .object({
    server_version: optionalNodeInfo.server_version,
    chain_id: id.optional().describe('Absent if the history came from a node that reports none (EOSIO 2.0).'),
    head_block_num: blockNum.describe('The newest committed block: the upper limit of every response.'),
    last_irreversible_block_num: blockNum.describe('Not above `head_block_num`, also while the service catches up.'),
    last_irreversible_block_id: id,
    head_block_id: id,
    head_block_time: blockTime,
    head_block_producer: name,
    virtual_block_cpu_limit: optionalNodeInfo.virtual_block_cpu_limit,
    virtual_block_net_limit: optionalNodeInfo.virtual_block_net_limit,
    block_cpu_limit: optionalNodeInfo.block_cpu_limit,
    block_net_limit: optionalNodeInfo.block_net_limit,
    server_version_string: optionalNodeInfo.server_version_string,
    fork_db_head_block_num: blockNum.describe('The same as `head_block_num`: no block above it is known to be valid.'),
    fork_db_head_block_id: id,
    server_full_version_string: optionalNodeInfo.server_full_version_string,
    total_cpu_weight: optionalNodeInfo.total_cpu_weight,
    total_net_weight: optionalNodeInfo.total_net_weight,
    earliest_available_block_num: blockNum.describe('The first indexed block.'),
    last_irreversible_block_time: blockTime
      .optional()
      .describe('Absent if the last irreversible block precedes the first indexed block.'),
  })
  .meta({ id: 'GetInfoResponse', description: 'State of the chain in the JSON of nodeos.' });

export const getInfo = defineRoute({
  group: 'chain',
  endpoint: 'get_info',
  method: ['GET', 'POST'],
  path: '/v1/chain/get_info',
  request,
  response,
  errors: ['INVALID_REQUEST'],
  cacheable: false,
  summary: 'State of the chain',
  description:
    'Returns the JSON of nodeos for the committed state: what every other endpoint sees at that moment. It does not depend ' +
    'on a chain node. The fields that only a node knows are those of the configured node.',
  example,
});
export type GetInfoRequest = z.output<typeof request>;
export type GetInfoResponse = z.output<typeof response>;
/** What `get_info` takes over from a chain node. */
export type NodeInfo = Partial<z.output<typeof nodeInfo>>;
