import { z } from 'zod';
import { packedExtensions } from '../block-extensions';
import {
  act,
  actionTrace,
  blockNum,
  blockTime,
  compression,
  hex,
  id,
  signature,
  transactionHeader,
  transactionStatus,
} from '../chain-types';
import { integer, MAX_BLOCK_NUM, optional, text } from '../fields';

export const getTransactionRequest = z
  .object({
    id: text('a transaction id')
      .describe('The id, or its first 8 or more hex digits.')
      .meta({ minLength: 8, maxLength: 64 }),
    block_num_hint: optional(integer(0, MAX_BLOCK_NUM)).describe('Not needed: every transaction is found by its id.'),
  })
  .meta({ id: 'GetTransactionRequest' });
export type GetTransactionRequest = z.output<typeof getTransactionRequest>;

const packedTransaction = z.object({
  signatures: z.array(signature),
  compression,
  packed_context_free_data: hex,
  packed_trx: hex,
});

export const getTransactionResponse = z
  .object({
    id,
    trx: z
      .object({
        receipt: z.object({
          status: transactionStatus,
          cpu_usage_us: z.int(),
          net_usage_words: z.int(),
          trx: z.union([z.tuple([z.literal(0), id]), z.tuple([z.literal(1), packedTransaction])]),
        }),
        trx: transactionHeader
          .extend({
            context_free_actions: z.array(act),
            actions: z.array(act),
            transaction_extensions: packedExtensions,
            signatures: z.array(signature),
            context_free_data: z.array(hex),
          })
          .optional(),
      })
      .nullable()
      .describe('null for what no block lists, such as onblock.'),
    block_time: blockTime,
    block_num: blockNum,
    last_irreversible_block: blockNum,
    traces: z.array(actionTrace).describe('Every trace in the order in which they ran.'),
  })
  .meta({ id: 'GetTransactionResponse' });
export type GetTransactionResponse = z.output<typeof getTransactionResponse>;
