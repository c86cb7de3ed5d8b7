import { z } from 'zod';
import {
  act,
  blockExtensions,
  blockNum,
  blockTime,
  compression,
  defineRoute,
  headerExtensions,
  hex,
  id,
  name,
  producerSchedule,
  signature,
  transactionExtensions,
  transactionHeader,
  transactionStatus,
} from '@antelope-history/schemas';
import example from './get-block.example.json';

const request = z
  .object({
    block_num_or_id: z
      .union([z.string(), z.number()], { error: 'give a block number or a block id' })
      .describe('A block number, or a block id of 64 hex digits.'),
  })
  .meta({ id: 'GetChainBlockRequest' });
const blockAction = act
  .extend({ hex_data: hex.optional().describe('Absent if the block came from an EOSIO 2.0 node that leaves it out.') })
  .meta({ id: 'BlockAction' });

const transactionReceipt = z.object({
  status: transactionStatus,
  cpu_usage_us: z.int(),
  net_usage_words: z.int(),
  trx: z.union([
    id.describe('The id of a deferred transaction.'),
    z.object({
      id,
      signatures: z.array(signature),
      compression,
      packed_context_free_data: hex,
      context_free_data: z.array(hex),
      packed_trx: hex,
      transaction: transactionHeader.extend({
        context_free_actions: z.array(blockAction),
        actions: z.array(blockAction),
        ...transactionExtensions.shape,
      }),
    }),
  ]),
});

const response = z
  .object({
    timestamp: blockTime,
    producer: name,
    confirmed: z.int(),
    previous: id,
    transaction_mroot: id,
    action_mroot: id,
    schedule_version: z.int(),
    new_producers: producerSchedule.nullable(),
    ...headerExtensions.shape,
    producer_signature: signature,
    transactions: z.array(transactionReceipt),
    ...blockExtensions.shape,
    id,
    block_num: blockNum,
    ref_block_prefix: z.int(),
  })
  .meta({ id: 'GetChainBlockResponse', description: 'The block in the JSON of nodeos.' });

export const getChainBlock = defineRoute({
  group: 'chain',
  endpoint: 'get_block',
  method: 'POST',
  path: '/v1/chain/get_block',
  request,
  refusedFields: { block_num: 'write block_num_or_id', block_id: 'write block_num_or_id' },
  response,
  errors: ['INVALID_REQUEST', 'INVALID_BLOCK_ID', 'UNKNOWN_BLOCK'],
  cacheable: true,
  summary: 'A block in the JSON of a chain node',
  description:
    'Finds an indexed block by number or id and returns the JSON of nodeos. Action data is decoded with the ABI that was in ' +
    'force when the action ran.',
  example,
});
export type GetChainBlockRequest = z.output<typeof request>;
export type GetChainBlockResponse = z.output<typeof response>;
