import { z } from 'zod';
import {
  blockNum,
  blockTime,
  defineRoute,
  id,
  integer,
  MAX_BLOCK_NUM,
  name,
  signature,
} from '@antelope-history/schemas';
import example from './get-block-info.example.json';

const request = z
  .object({ block_num: integer(0, MAX_BLOCK_NUM).describe('The block number.') })
  .meta({ id: 'GetBlockInfoRequest' });

const response = z
  .object({
    block_num: blockNum,
    ref_block_num: z.int().min(0).max(65535).describe('The lower 16 bits of the block number, for transactions.'),
    id,
    timestamp: blockTime,
    producer: name,
    confirmed: z.int(),
    previous: id,
    transaction_mroot: id,
    action_mroot: id,
    schedule_version: z.int(),
    producer_signature: signature,
    ref_block_prefix: z.int().describe('Bytes 8 to 11 of the id, for transactions.'),
  })
  .meta({ id: 'GetBlockInfoResponse', description: 'The header of a block in the JSON of nodeos.' });

export const getBlockInfo = defineRoute({
  group: 'chain',
  endpoint: 'get_block_info',
  method: 'POST',
  path: '/v1/chain/get_block_info',
  request,
  refusedFields: { block_num_or_id: 'write block_num', block_id: 'write block_num, or ask get_block' },
  response,
  errors: ['INVALID_REQUEST', 'UNKNOWN_BLOCK'],
  cacheable: true,
  summary: 'The header of a block',
  description: 'Finds an indexed block by number and returns its header with the fields that transactions refer to.',
  example,
});
export type GetBlockInfoRequest = z.output<typeof request>;
export type GetBlockInfoResponse = z.output<typeof response>;
