import { z } from 'zod';
import { blockTime, decoded, hex, id, integer64, transactionHeader } from '../chain-types';
import { integer, optional, text } from '../fields';

export const getTraceBlockRequest = z.object({
  block_num: optional(integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).describe(
    'A block number; -1: the latest block.',
  ),
  block_id: optional(text('a block id')).describe('64 hex digits; it decides when both are given.'),
});
export type GetTraceBlockRequest = z.output<typeof getTraceBlockRequest>;

const transactionTrace = z.object({
  id,
  block_num: z.int(),
  block_time: blockTime,
  producer_block_id: id.nullable(),
  actions: z.array(
    z.object({
      global_sequence: integer64,
      receiver: z.string(),
      account: z.string(),
      action: z.string(),
      authorization: z.array(z.object({ account: z.string(), permission: z.string() })),
      data: hex,
      return_value: hex,
      params: decoded.optional(),
      return_data: decoded.optional(),
    }),
  ),
  status: z.string(),
  cpu_usage_us: z.int(),
  net_usage_words: z.int(),
  signatures: z.array(z.string()),
  transaction_header: transactionHeader,
});

export const getTraceBlockAnswer = z.object({
  id,
  number: z.int(),
  previous_id: id,
  status: z.enum(['pending', 'irreversible']),
  timestamp: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  producer: z.string(),
  transaction_mroot: id,
  action_mroot: id,
  schedule_version: z.int(),
  transactions: z.array(transactionTrace),
});
export type GetTraceBlockAnswer = z.output<typeof getTraceBlockAnswer>;
