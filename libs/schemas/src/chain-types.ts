import { z } from 'zod';

/** Types that several answers share, as the chain's JSON has them. An `id` names the type in the API description. */

/** The node's rule for 64-bit integers. */
export const integer64 = z.union([z.int().min(-4294967295).max(4294967295), z.string().regex(/^-?\d+$/)]).meta({
  id: 'Integer64',
  description:
    'A 64-bit integer: a number up to 4294967295, a decimal string above (nodeos libraries/libfc/src/io/json.cpp).',
  examples: [15417, '353566913653'],
});
export const blockNum = z.int().min(0).max(4294967295);
/** Block times carry half a second and no zone: UTC. */
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
/** Empty in the few places where the chain has no name: the producer of the first block. */
export const name = z
  .string()
  .regex(/^[.1-5a-z]{0,13}$/)
  .meta({ id: 'Name', description: 'Name of an account, an action or a permission.', examples: ['eosio.token'] });
export const publicKey = z.string().meta({ id: 'PublicKey', description: 'EOS…, PUB_R1_… or PUB_WA_…' });
export const signature = z.string().meta({ id: 'Signature', description: 'SIG_K1_…, SIG_R1_… or SIG_WA_…' });
/** What a contract's ABI makes of bytes, or their hex where it makes nothing of them. */
export const decoded = z.unknown();
export const transactionStatus = z.string().describe('executed, soft_fail, hard_fail, delayed or expired.');
export const compression = z.enum(['none', 'zlib']);

/** Only there in responses that reach their size limit. */
export const omittedBytes = z
  .int()
  .min(0)
  .describe(
    'Only where the response would be larger than 32 MiB: so many bytes of data are left out, with their authorizations.',
  );

export const act = z
  .object({
    account: name.describe('The contract.'),
    name,
    authorization: z.array(z.object({ actor: name, permission: name })),
    data: decoded.describe(
      'Decoded with the ABI in force when the action ran; the hex of the bytes where it does not fit.',
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
    action_ordinal: z.int().describe('Place among the traces of the transaction, from 1.'),
    creator_action_ordinal: z.int().describe('The trace that created this one; 0: none.'),
    closest_unnotified_ancestor_action_ordinal: z.int().describe('The nearest creator that is not a notification.'),
    receipt: z.object({
      receiver: name,
      act_digest: id,
      global_sequence: integer64,
      recv_sequence: integer64,
      auth_sequence: z.array(z.tuple([name, integer64])),
      code_sequence: z.int(),
      abi_sequence: z.int(),
    }),
    receiver: name.describe('The contract, or the account that was notified.'),
    act,
    context_free: z.boolean(),
    elapsed: integer64.describe('Microseconds; 0 where the node does not record it.'),
    console: z.string(),
    trx_id: id,
    block_num: blockNum,
    block_time: blockTime,
    producer_block_id: id.describe("The block's id."),
    account_ram_deltas: z.array(z.object({ account: name, delta: integer64 })),
    except: z.string().nullable(),
    error_code: integer64.nullable(),
    return_value_hex_data: hex,
    return_value_data: decoded.optional().describe('Where the ABI types what the action returns.'),
  })
  .meta({ id: 'ActionTrace', description: 'One run of an action: by its contract, or as a notification.' });
export type ActionTraceJson = z.output<typeof actionTrace>;
