import { z } from 'zod';

export const healthStatus = z.enum(['ok', 'catching_up', 'degraded', 'down']);
export type HealthStatus = z.output<typeof healthStatus>;

/** A head at most this far away counts as reached: five seconds of blocks. */
const REACHED_LAG_BLOCKS = 10;

/** How far the committed head is behind the source's, and what that means; undefined blocks are not known yet. */
export function describeLag(
  head: number | undefined,
  committed: number | undefined,
): { status: 'ok' | 'catching_up'; lag: number | undefined } {
  if (head === undefined || committed === undefined) return { status: 'catching_up', lag: undefined };
  const lag = Math.max(0, head - committed);
  return { status: lag <= REACHED_LAG_BLOCKS ? 'ok' : 'catching_up', lag };
}

const blockNum = z.int().nullable();

/** A part of the service. The figures are there for parts of which there may be several, when they tell of themselves. */
const component = z.object({
  status: healthStatus,
  reason: z.string().optional().describe('The error code that says why it is not ok, where that is known.'),
  count: z.int().optional().describe('How many of them run.'),
  blocks_per_second: z.number().optional().describe('What they do together.'),
  requests_per_second: z.number().optional().describe('What they do together.'),
});

/** Answer of `GET /health`; HTTP status 503 only for `down`. */
export const healthResponse = z
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
    components: z.record(z.string(), component),
    // The format of /health has this list although it is empty today: a store holds one range without gaps.
    incomplete_ranges: z.array(z.object({ first_block_num: z.int(), last_block_num: z.int() })),
  })
  .meta({ id: 'Health', description: 'How the service is, and where it stands on the chain.' });
export type HealthResponse = z.output<typeof healthResponse>;

/** What clients are told: how far the service is, and nothing of what it is made of. */
export const shortHealthResponse = healthResponse
  .omit({ components: true, incomplete_ranges: true })
  .meta({ id: 'ShortHealth', description: 'Where the service stands on the chain.' });
export type ShortHealthResponse = z.output<typeof shortHealthResponse>;
