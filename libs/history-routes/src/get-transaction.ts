import { z } from 'zod';
import {
  act,
  actionTrace,
  blockNum,
  blockTime,
  compression,
  defineRoute,
  hex,
  id,
  integer,
  MAX_BLOCK_NUM,
  optional,
  packedExtensions,
  signature,
  text,
  transactionHeader,
  transactionStatus,
} from '@antelope-history/schemas';
import example from './get-transaction.example.json';

const request = z
  .object({
    id: text('a transaction id')
      .describe('The transaction id, or its first 8 or more hex digits.')
      .meta({ minLength: 8, maxLength: 64 }),
    block_num_hint: optional(integer(0, MAX_BLOCK_NUM)).describe(
      'The block where a whole id is looked up first; other blocks follow if it is not there. An id that the chain executed ' +
        'several times is that of the hinted block, otherwise the earliest one. Not used for a prefix, which has to be unique.',
    ),
  })
  .meta({ id: 'GetTransactionRequest' });
const packedTransaction = z.object({
  signatures: z.array(signature),
  compression,
  packed_context_free_data: hex,
  packed_trx: hex,
});

const response = z
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
      .describe('null for a transaction that no block lists, such as onblock.'),
    block_time: blockTime,
    block_num: blockNum,
    last_irreversible_block: blockNum,
    traces: z.array(actionTrace).describe('All traces in execution order.'),
  })
  .meta({ id: 'GetTransactionResponse' });

export const getTransaction = defineRoute({
  group: 'history',
  endpoint: 'get_transaction',
  method: 'POST',
  path: '/v1/history/get_transaction',
  request,
  refusedFields: {
    trx_id: 'write id',
    transaction_id: 'write id',
    block_num: 'write block_num_hint',
    block_hint: 'write block_num_hint',
  },
  response,
  errors: ['INVALID_REQUEST', 'INVALID_TRANSACTION_ID', 'AMBIGUOUS_TRANSACTION_ID', 'TRANSACTION_NOT_FOUND'],
  cacheable: true,
  summary: 'A transaction with all its traces',
  description:
    'Finds a transaction by its id or a prefix of the id. The traces are complete: each notification is a trace of its own. ' +
    '`trx` is null for a transaction that no block lists (`onblock`); a deferred transaction has its id in place of its ' +
    'content.',
  example,
});
export type GetTransactionRequest = z.output<typeof request>;
export type GetTransactionResponse = z.output<typeof response>;
