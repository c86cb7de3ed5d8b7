import { z } from 'zod';

/** Types of the chain's JSON that several responses share. An `id` names the type in the OpenAPI document. */

/** A 64-bit integer by the rule of nodeos. */
export const integer64 = z.union([z.int().min(-4294967295).max(4294967295), z.string().regex(/^-?\d+$/)]).meta({
  id: 'Integer64',
  description:
    'A 64-bit integer: a number up to 4294967295, a decimal string above (nodeos libraries/libfc/src/io/json.cpp).',
  examples: [15417, '353566913653'],
});
export const blockNum = z.int().min(0).max(4294967295);
/** Block times have half seconds and no zone; they are UTC. */
export const blockTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/)
  .meta({ id: 'BlockTime', description: 'Time of a block, in UTC.', examples: ['2026-01-01T00:00:00.500'] });
export const seconds = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  .meta({ id: 'Seconds', description: 'Time in UTC.', examples: ['2026-01-01T00:00:30'] });
export const hex = z.string().regex(/^([0-9a-f]{2})*$/);
export const id = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ id: 'Id', description: 'Id of a block or a transaction, or another SHA-256, in hex.' });
/** Empty where the chain has no name, as for the producer of the first block. */
export const name = z
  .string()
  .regex(/^[.1-5a-z]{0,13}$/)
  .meta({ id: 'Name', description: 'Name of an account, an action or a permission.', examples: ['eosio.token'] });
export const publicKey = z.string().meta({ id: 'PublicKey', description: 'EOS…, PUB_R1_… or PUB_WA_…' });
export const signature = z.string().meta({ id: 'Signature', description: 'SIG_K1_…, SIG_R1_… or SIG_WA_…' });
/** Data decoded with the contract's ABI, or their hex if it does not decode them. */
export const decoded = z.unknown();
export const transactionStatus = z.string().describe('executed, soft_fail, hard_fail, delayed or expired.');
export const compression = z.enum(['none', 'zlib']);

/** Present only in responses that reach their size limit. */
export const omittedBytes = z
  .int()
  .min(0)
  .describe(
    'Present only if the response would exceed 32 MiB: the number of data bytes that are left out, with the authorizations.',
  );

export const act = z
  .object({
    account: name.describe('The contract.'),
    name,
    authorization: z.array(z.object({ actor: name, permission: name })),
    data: decoded.describe(
      'Decoded with the ABI in force when the action ran; the hex of the bytes if it does not decode them.',
    ),
    hex_data: hex,
    omitted_bytes: omittedBytes.optional(),
  })
  .meta({ id: 'Action' });

export const transactionHeader = z.object({
  expiration: seconds,
  ref_block_num: z.int(),
  ref_block_prefix: z.int(),
  max_net_usage_words: z.int(),
  max_cpu_usage_ms: z.int(),
  delay_sec: z.int(),
});

export const actionTrace = z
  .object({
    action_ordinal: z.int().describe('Position among the traces of the transaction, from 1.'),
    creator_action_ordinal: z.int().describe('Ordinal of the trace that created this one; 0 for none.'),
    closest_unnotified_ancestor_action_ordinal: z
      .int()
      .describe('Ordinal of the nearest creator that is not a notification.'),
    receipt: z.object({
      receiver: name,
      act_digest: id,
      global_sequence: integer64,
      recv_sequence: integer64,
      auth_sequence: z.array(z.tuple([name, integer64])),
      code_sequence: z.int(),
      abi_sequence: z.int(),
    }),
    receiver: name.describe('The contract, or the notified account.'),
    act,
    context_free: z.boolean(),
    elapsed: integer64.describe('Microseconds; 0 if the node does not record it.'),
    console: z.string(),
    trx_id: id,
    block_num: blockNum,
    block_time: blockTime,
    producer_block_id: id.describe("The block's id."),
    account_ram_deltas: z.array(z.object({ account: name, delta: integer64 })),
    except: z.string().nullable(),
    error_code: integer64.nullable(),
    return_value_hex_data: hex,
    return_value_data: decoded.optional().describe('Decoded return value; absent if the ABI gives it no type.'),
  })
  .meta({ id: 'ActionTrace', description: 'One execution of an action, by its contract or as a notification.' });
export type ActionTraceJson = z.output<typeof actionTrace>;
