import { z } from 'zod';
import { act, blockTime, hex, id, transactionHeader } from '../chain-types';

export const getChainBlockRequest = z.object({
  block_num_or_id: z
    .union([z.string(), z.number()], { error: 'give a block number or a block id' })
    .describe('A block number, or an id of 64 hex digits.'),
});
export type GetChainBlockRequest = z.output<typeof getChainBlockRequest>;

const transactionReceipt = z.object({
  status: z.string(),
  cpu_usage_us: z.int(),
  net_usage_words: z.int(),
  trx: z.union([
    id.describe('Of a deferred transaction.'),
    z.object({
      id,
      signatures: z.array(z.string()),
      compression: z.string(),
      packed_context_free_data: hex,
      context_free_data: z.array(hex),
      packed_trx: hex,
      transaction: transactionHeader.extend({ context_free_actions: z.array(act), actions: z.array(act) }).loose(),
    }),
  ]),
});

/** The node's own; extensions of the header and the block add fields (`new_protocol_features`, `finality_extension`…). */
export const getChainBlockAnswer = z
  .object({
    timestamp: blockTime,
    producer: z.string(),
    confirmed: z.int(),
    previous: id,
    transaction_mroot: id,
    action_mroot: id,
    schedule_version: z.int(),
    new_producers: z.unknown().nullable(),
    producer_signature: z.string(),
    transactions: z.array(transactionReceipt),
    id,
    block_num: z.int(),
    ref_block_prefix: z.int(),
  })
  .loose();
export type GetChainBlockAnswer = z.output<typeof getChainBlockAnswer>;
