import { z } from 'zod';

/** Types that several answers share, as the chain's JSON has them. */

/** The node's rule for 64-bit integers: a number up to 4294967295, a decimal string above. */
export const integer64 = z.union([z.int(), z.string().regex(/^-?\d+$/)]);
/** Block times carry half a second and no zone: UTC. */
export const blockTime = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
export const seconds = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
export const hex = z.string().regex(/^([0-9a-f]{2})*$/);
export const id = z.string().regex(/^[0-9a-f]{64}$/);
/** What a contract's ABI makes of bytes, or their hex where it makes nothing of them. */
export const decoded = z.unknown();

export const act = z.object({
  account: z.string(),
  name: z.string(),
  authorization: z.array(z.object({ actor: z.string(), permission: z.string() })),
  data: decoded,
  hex_data: hex,
});

export const transactionHeader = z.object({
  expiration: seconds,
  ref_block_num: z.int(),
  ref_block_prefix: z.int(),
  max_net_usage_words: z.int(),
  max_cpu_usage_ms: z.int(),
  delay_sec: z.int(),
});

export const actionTrace = z.object({
  action_ordinal: z.int(),
  creator_action_ordinal: z.int(),
  closest_unnotified_ancestor_action_ordinal: z.int(),
  receipt: z.object({
    receiver: z.string(),
    act_digest: id,
    global_sequence: integer64,
    recv_sequence: integer64,
    auth_sequence: z.array(z.tuple([z.string(), integer64])),
    code_sequence: z.int(),
    abi_sequence: z.int(),
  }),
  receiver: z.string(),
  act,
  context_free: z.boolean(),
  elapsed: integer64,
  console: z.string(),
  trx_id: id,
  block_num: z.int(),
  block_time: blockTime,
  producer_block_id: id,
  account_ram_deltas: z.array(z.object({ account: z.string(), delta: integer64 })),
  except: z.unknown().nullable(),
  error_code: integer64.nullable(),
  return_value_hex_data: hex,
  return_value_data: decoded.optional(),
});
