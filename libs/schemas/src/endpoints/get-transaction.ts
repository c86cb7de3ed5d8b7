import { z } from 'zod';
import { act, actionTrace, blockTime, hex, id, transactionHeader } from '../chain-types';
import { integer, MAX_BLOCK_NUM, optional, text } from '../fields';

export const getTransactionRequest = z.object({
  id: text('a transaction id')
    .describe('The id, or its first 8 or more hex digits.')
    .meta({ minLength: 8, maxLength: 64 }),
  block_num_hint: optional(integer(0, MAX_BLOCK_NUM)).describe('Not needed: every transaction is found by its id.'),
});
export type GetTransactionRequest = z.output<typeof getTransactionRequest>;

const packedTransaction = z.object({
  signatures: z.array(z.string()),
  compression: z.string(),
  packed_context_free_data: hex,
  packed_trx: hex,
});

export const getTransactionAnswer = z.object({
  id,
  trx: z
    .object({
      receipt: z.object({
        status: z.string(),
        cpu_usage_us: z.int(),
        net_usage_words: z.int(),
        trx: z.union([z.tuple([z.literal(0), id]), z.tuple([z.literal(1), packedTransaction])]),
      }),
      trx: transactionHeader
        .extend({
          context_free_actions: z.array(act),
          actions: z.array(act),
          transaction_extensions: z.array(z.unknown()),
          signatures: z.array(z.string()),
          context_free_data: z.array(hex),
        })
        .optional(),
    })
    .nullable(),
  block_time: blockTime,
  block_num: z.int(),
  last_irreversible_block: z.int(),
  traces: z.array(actionTrace),
});
export type GetTransactionAnswer = z.output<typeof getTransactionAnswer>;
