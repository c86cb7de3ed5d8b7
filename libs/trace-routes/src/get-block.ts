import { z } from 'zod';
import {
  blockNum,
  blockTime,
  decoded,
  defineRoute,
  hex,
  id,
  integer,
  integer64,
  MAX_BLOCK_NUM,
  name,
  omittedBytes,
  optional,
  signature,
  text,
  transactionHeader,
  transactionStatus,
} from '@antelope-history/schemas';
import example from './get-block.example.json';

const request = z
  .object({
    block_num: optional(
      integer(
        Number.MIN_SAFE_INTEGER,
        Number.MAX_SAFE_INTEGER,
        `an integer from 0 to ${MAX_BLOCK_NUM}, or -1 for the newest block`,
      ),
    ).describe('A block number; -1 selects the newest block. Required unless `block_id` is given.'),
    block_id: optional(text('a block id')).describe('A block id of 64 hex digits; takes precedence over `block_num`.'),
  })
  .meta({ id: 'GetTraceBlockRequest' });
const NOT_IN_EOSIO_2_0 = 'Absent in blocks that came from an EOSIO 2.0 node, which leaves it out.';

/** Fields that are present together or not at all. */
const PLACE = ['block_num', 'block_time', 'producer_block_id'];

const transactionTrace = z
  .object({
    id,
    block_num: blockNum.optional().describe(NOT_IN_EOSIO_2_0),
    block_time: blockTime.optional().describe(NOT_IN_EOSIO_2_0),
    producer_block_id: id.nullable().optional().describe(NOT_IN_EOSIO_2_0),
    actions: z.array(
      z.object({
        global_sequence: integer64,
        receiver: name,
        account: name,
        action: name,
        authorization: z.array(z.object({ account: name, permission: name })),
        data: hex,
        return_value: hex.optional().describe(NOT_IN_EOSIO_2_0),
        params: decoded.optional().describe('Decoded data; absent if the ABI in force does not decode it.'),
        return_data: decoded.optional().describe('Decoded return value; absent if the ABI gives it no type.'),
        omitted_bytes: omittedBytes.optional(),
      }),
    ),
    status: transactionStatus,
    cpu_usage_us: z.int(),
    net_usage_words: z.int(),
    signatures: z.array(signature),
    transaction_header: transactionHeader,
  })
  .meta({ dependentRequired: { block_num: PLACE, block_time: PLACE, producer_block_id: PLACE } });

const response = z
  .object({
    id,
    number: blockNum,
    previous_id: id,
    status: z.enum(['pending', 'irreversible']),
    timestamp: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    producer: name,
    transaction_mroot: id,
    action_mroot: id,
    schedule_version: z.int(),
    transactions: z.array(transactionTrace),
  })
  .meta({ id: 'GetTraceBlockResponse', description: 'The block with its traces, in the JSON of the trace plugin.' });

export const getTraceBlock = defineRoute({
  group: 'trace',
  endpoint: 'get_block',
  method: 'POST',
  path: '/v1/trace_api/get_block',
  request,
  refusedFields: { block_num_or_id: 'write block_num or block_id' },
  response,
  errors: ['INVALID_REQUEST', 'INVALID_BLOCK_ID', 'BLOCK_TRACE_MISSING'],
  cacheable: true,
  summary: 'The traces of a block',
  description:
    'Finds an indexed block by number (-1: the newest block) or id and returns the JSON of the trace plugin, with `params` for ' +
    'every contract that has an ABI. Context-free actions are left out, as in the plugin.',
  example,
});
export type GetTraceBlockRequest = z.output<typeof request>;
export type GetTraceBlockResponse = z.output<typeof response>;
