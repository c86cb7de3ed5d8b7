import { z } from 'zod';

const healthStatus = z.enum(['ok', 'catching_up', 'degraded', 'down']);
export type HealthStatus = z.output<typeof healthStatus>;

const blockNum = z.int().nullable();

/** Answer of `GET /health`; HTTP status 503 only for `down`. */
export const healthAnswer = z
  .object({
    status: healthStatus.describe(
      "ok: committed within a few blocks of the source's head; catching_up: further behind; degraded: a part is away; down: queries can't be answered.",
    ),
    version: z.string(),
    chain_id: z.string().nullable(),
    head_block_num: blockNum,
    committed_block_num: blockNum,
    last_irreversible_block_num: blockNum,
    lag_blocks: blockNum,
    components: z.record(z.string(), z.object({ status: healthStatus })),
    incomplete_ranges: z.array(z.object({ first_block_num: z.int(), last_block_num: z.int() })),
  })
  .meta({ id: 'Health', description: 'How the service is, and where it stands on the chain.' });
export type HealthAnswer = z.output<typeof healthAnswer>;
