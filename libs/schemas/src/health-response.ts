import { z } from 'zod';

export const healthStatus = z.enum(['ok', 'catching_up', 'degraded', 'down']);
export type HealthStatus = z.output<typeof healthStatus>;

/** The service has caught up when its committed head is at most this far behind: five seconds of blocks. */
const REACHED_LAG_BLOCKS = 10;

/** The lag of the committed head behind the source's head, and the status that follows from it. Undefined blocks are unknown. */
export function describeLag(
  head: number | undefined,
  committed: number | undefined,
): { status: 'ok' | 'catching_up'; lag: number | undefined } {
  if (head === undefined || committed === undefined) return { status: 'catching_up', lag: undefined };
  const lag = Math.max(0, head - committed);
  return { status: lag <= REACHED_LAG_BLOCKS ? 'ok' : 'catching_up', lag };
}

const blockNum = z.int().nullable();

/** A component of the service. Components that run in several processes also report their number and rate. */
const component = z.object({
  status: healthStatus,
  reason: z.string().optional().describe('Error code of the reason why the component is not ok, if known.'),
  count: z.int().optional().describe('Number of running processes.'),
  blocks_per_second: z.number().optional().describe('Blocks per second of all processes.'),
  requests_per_second: z.number().optional().describe('Requests per second of all processes.'),
});

/** Response of `GET /health`; the HTTP status is 503 only for `down`. */
export const healthResponse = z
  .object({
    status: healthStatus.describe(
      "ok: committed up to a few blocks behind the source's head; catching_up: further behind; degraded: a component is unavailable; down: queries cannot be served.",
    ),
    version: z.string(),
    chain_id: z.string().nullable(),
    first_block_num: blockNum
      // An API of an earlier version does not report it.
      .default(null)
      .describe('The first indexed block: nothing before it is known.'),
    state_complete: z
      .boolean()
      .nullable()
      // An API of an earlier version does not report it.
      .default(null)
      .describe(
        'Whether permissions and ABIs are those of the whole chain. If not, the history began in the middle of a chain, and ' +
          'accounts of keys are not served.',
      ),
    head_block_num: blockNum,
    committed_block_num: blockNum,
    last_irreversible_block_num: blockNum,
    lag_blocks: blockNum,
    committed_age_seconds: z
      .number()
      .nullable()
      // An API of an earlier version does not report it.
      .default(null)
      .describe("Time since the committed block's own time: how old the newest data is, whatever the node says."),
    data_fields: z
      .record(z.string(), z.int())
      // An API of an earlier version does not report it.
      .default({})
      .describe(
        'The fields of action data that requests can filter by, each with the first block whose values are indexed.',
      ),
    components: z.record(z.string(), component),
    // The format of /health has this list although it is empty today: a store holds one range without gaps.
    incomplete_ranges: z.array(z.object({ first_block_num: z.int(), last_block_num: z.int() })),
  })
  .meta({ id: 'Health', description: 'State of the service and its position on the chain.' });
export type HealthResponse = z.output<typeof healthResponse>;

/** The part of /health that clients may see: the position on the chain, without components. */
export const shortHealthResponse = healthResponse
  .omit({ components: true, incomplete_ranges: true })
  .meta({ id: 'ShortHealth', description: 'Position of the service on the chain.' });
export type ShortHealthResponse = z.output<typeof shortHealthResponse>;

/** Response of `GET /health` of a gateway of several chains; the HTTP status is 503 when all of them are `down`. */
const chainsHealthResponse = z.object({
  status: healthStatus,
  version: z.string(),
  chains: z.record(z.string(), healthResponse),
});
export type ChainsHealthResponse = z.output<typeof chainsHealthResponse>;

/** The part of it that clients may see. */
export const shortChainsHealthResponse = chainsHealthResponse.extend({
  chains: z.record(z.string(), shortHealthResponse),
});
export type ShortChainsHealthResponse = z.output<typeof shortChainsHealthResponse>;
