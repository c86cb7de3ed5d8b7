import { z } from 'zod';
import {
  defineRoute,
  hex,
  id,
  integer,
  integer64,
  MAX_BLOCK_NUM,
  name,
  optional,
  text,
} from '@antelope-history/schemas';
import abiExample from './get-abi.example.json';
import rawAbiExample from './get-raw-abi.example.json';

const accountName = text('an account name').describe('The contract.').meta({ minLength: 1, maxLength: 12 });
const atBlock = optional(integer(0, MAX_BLOCK_NUM)).describe(
  'Not in nodeos: the ABI as it was after this block. Absent: the latest one.',
);
const refusedFields = {
  account: 'write account_name',
  block_num_or_id: 'write block_num',
  block_id: 'write block_num',
  block_num_hint: 'write block_num',
};

const namedType = z.object({ name: z.string(), type: z.string() });
/** The fields of an ABI in their packed order (nodeos libraries/chain/include/eosio/chain/abi_def.hpp). */
const abiDefinition = z
  .object({
    version: z.string(),
    types: z.array(z.object({ new_type_name: z.string(), type: z.string() })),
    structs: z.array(z.object({ name: z.string(), base: z.string(), fields: z.array(namedType) })),
    actions: z.array(z.object({ name, type: z.string(), ricardian_contract: z.string() })),
    tables: z.array(
      z.object({
        name,
        index_type: z.string(),
        key_names: z.array(z.string()),
        key_types: z.array(z.string()),
        type: z.string(),
      }),
    ),
    ricardian_clauses: z.array(z.object({ id: z.string(), body: z.string() })),
    error_messages: z.array(z.object({ error_code: integer64, error_msg: z.string() })),
    abi_extensions: z.array(z.tuple([z.int(), hex])),
    variants: z.array(z.object({ name: z.string(), types: z.array(z.string()) })),
    action_results: z
      .array(z.object({ name, result_type: z.string() }))
      .optional()
      .describe('Absent if the newest block came from an EOSIO 2.0 node, which does not know it.'),
  })
  .meta({ id: 'AbiDefinition', description: 'An ABI in the JSON of nodeos.' });

const abiRequest = z.object({ account_name: accountName, block_num: atBlock }).meta({ id: 'GetAbiRequest' });
const abiResponse = z
  .object({ account_name: name, abi: abiDefinition.optional().describe('Absent if the account has none.') })
  .meta({ id: 'GetAbiResponse' });

export const getAbi = defineRoute({
  group: 'chain',
  endpoint: 'get_abi',
  method: 'POST',
  path: '/v1/chain/get_abi',
  request: abiRequest,
  refusedFields,
  response: abiResponse,
  errors: ['INVALID_REQUEST', 'INVALID_NAME', 'UNKNOWN_ACCOUNT', 'UNKNOWN_BLOCK'],
  cacheable: false,
  summary: 'The ABI of a contract',
  description: 'Returns the ABI that a contract has now, or had after a block, in the JSON of nodeos.',
  example: abiExample,
});

const rawAbiRequest = z
  .object({
    account_name: accountName,
    abi_hash: optional(
      z
        .string({ error: 'give a SHA-256 of 64 hex digits' })
        .regex(/^[0-9a-f]{64}$/i, 'give a SHA-256 of 64 hex digits')
        .transform((digits) => digits.toLowerCase()),
    ).describe('If it is the hash of the ABI, the ABI is left out of the response.'),
    block_num: atBlock,
  })
  .meta({ id: 'GetRawAbiRequest' });
const rawAbiResponse = z
  .object({
    account_name: name,
    code_hash: id
      .optional()
      .describe(
        'SHA-256 of the code, zero without code. Absent if the code was set before the first indexed block; code is not ' +
          'indexed, the hash is that of the latest `setcode`.',
      ),
    abi_hash: id.describe('SHA-256 of the packed ABI, also of an empty one.'),
    abi: z.string().optional().describe('The packed ABI in base64, empty without ABI.'),
  })
  .meta({ id: 'GetRawAbiResponse' });

export const getRawAbi = defineRoute({
  group: 'chain',
  endpoint: 'get_raw_abi',
  method: 'POST',
  path: '/v1/chain/get_raw_abi',
  request: rawAbiRequest,
  refusedFields,
  response: rawAbiResponse,
  errors: ['INVALID_REQUEST', 'INVALID_NAME', 'UNKNOWN_ACCOUNT', 'UNKNOWN_BLOCK'],
  cacheable: false,
  summary: 'The packed ABI of a contract',
  description: 'Returns the ABI that a contract has now, or had after a block, as the contract set it.',
  example: rawAbiExample,
});

export type AbiJson = z.output<typeof abiDefinition>;
export type GetAbiRequest = z.output<typeof abiRequest>;
export type GetAbiResponse = z.output<typeof abiResponse>;
export type GetRawAbiRequest = z.output<typeof rawAbiRequest>;
export type GetRawAbiResponse = z.output<typeof rawAbiResponse>;
