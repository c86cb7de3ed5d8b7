import { z } from 'zod';
import { healthResponse, healthStatus } from './health-response';

const count = z.number().nonnegative();
/** Milliseconds since 1970. */
const time = z.number();

/** What a process reports of itself. A value is absent where the process does not have it: only readers see forks. */
export const processReport = z.object({
  version: z.string(),
  memory_bytes: count.optional().describe('Resident memory.'),
  last_progress_at: time.optional().describe('When it last did its work: milliseconds since 1970.'),
  last_error: z
    .object({ at: time, code: z.string().optional(), message: z.string() })
    .optional()
    .describe('The last log entry of level `error` or higher since its start.'),
  indexed_blocks: count.optional().describe('Blocks written since its start.'),
  indexed_actions: count.optional().describe('Actions written since its start.'),
  forks: count.optional().describe('Forks seen since its start.'),
  nodes_refused: count.optional().describe('Connections to nodes that it refused since its start.'),
  dead_letters: count.optional().describe('Messages in the dead-letter queues.'),
  queue_messages: z.record(z.string(), count).optional().describe('Messages by queue.'),
  store_free_bytes: count.optional().describe('Free bytes on the disk of the store.'),
});
export type ProcessReport = z.output<typeof processReport>;

const processStatus = processReport.extend({
  kind: z.string().describe('The app, such as `reader`.'),
  host: z.string().optional().describe('On the operations listener only, as `pid` and `last_error`.'),
  pid: z.int().optional(),
  since: z.string().describe('When it started, ISO 8601.'),
  status: healthStatus,
  blocks_per_second: z.number().optional(),
  requests_per_second: z.number().optional(),
});
export type ProcessStatus = z.output<typeof processStatus>;

const speed = z.number().nonnegative();

/** The service's position and speed at one time. */
const statusSample = z.object({
  at: time.describe('Milliseconds since 1970.'),
  head_block_num: z.int().nullable(),
  committed_block_num: z.int().nullable(),
  blocks_per_second: speed.describe('Blocks that the indexers wrote per second since the sample before.'),
  actions_per_second: speed,
});
export type StatusSample = z.output<typeof statusSample>;

/** Response of `GET /status`: what the page for operators shows. */
export const statusResponse = z
  .object({
    at: time.describe('When it was read: milliseconds since 1970.'),
    health: healthResponse,
    processes: z.array(processStatus),
    totals: processReport
      .pick({ forks: true, nodes_refused: true, dead_letters: true, queue_messages: true, store_free_bytes: true })
      .describe('Of all processes together.'),
    samples: z.array(statusSample).describe('Of the last hour, oldest first, as this gateway has seen it.'),
  })
  .meta({ id: 'Status', description: 'State of the service and of each process, with the figures of the last hour.' });
export type StatusResponse = z.output<typeof statusResponse>;
