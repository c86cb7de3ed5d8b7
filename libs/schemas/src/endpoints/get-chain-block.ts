import { z } from 'zod';
import { blockExtensions, headerExtensions, producerSchedule, transactionExtensions } from '../block-extensions';
import {
  act,
  blockNum,
  blockTime,
  compression,
  hex,
  id,
  name,
  signature,
  transactionHeader,
  transactionStatus,
} from '../chain-types';

export const getChainBlockRequest = z
  .object({
    block_num_or_id: z
      .union([z.string(), z.number()], { error: 'give a block number or a block id' })
      .describe('A block number, or an id of 64 hex digits.'),
  })
  .meta({ id: 'GetChainBlockRequest' });
export type GetChainBlockRequest = z.output<typeof getChainBlockRequest>;

const blockAction = act
  .extend({ hex_data: hex.optional().describe('Left out where an EOSIO 2.0 node, from which it came, leaves it out.') })
  .meta({ id: 'BlockAction' });

const transactionReceipt = z.object({
  status: transactionStatus,
  cpu_usage_us: z.int(),
  net_usage_words: z.int(),
  trx: z.union([
    id.describe('Of a deferred transaction.'),
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

export const getChainBlockResponse = z
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
  .meta({ id: 'GetChainBlockResponse', description: "The block in the node's own JSON." });
export type GetChainBlockResponse = z.output<typeof getChainBlockResponse>;
