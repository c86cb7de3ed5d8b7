import { z } from 'zod';
import { MIB } from './field-types';
import { OWN_PATHS } from './own-paths';

export const api = z.strictObject({
  require_bounded_asc: z
    .boolean()
    .default(true)
    .describe(
      'Whether ascending get_actions requests need `after` or `before`; `max_asc_window_days` holds only then.',
    ),
  max_asc_window_days: z
    .int()
    .min(1)
    .max(36_500)
    .default(90)
    .describe('Largest age of a date in `after` in ascending get_actions requests.'),
  positions: z
    .enum(['rows', 'nodeos'])
    .default('rows')
    .describe(
      'What `pos` of get_actions counts. `rows`: the rows of the response’s own order, newest first. `nodeos`: the rules of the ' +
        'original history plugin; requests are served as by /v1/history/nodeos/get_actions, and those that count rows by ' +
        '/v1/history/rows/get_actions. The gateway reads it.',
    ),
  positions_header: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .optional()
    .meta({ takes: 'a header name in lowercase' })
    .describe('Header of get_actions requests whose value, `rows` or `nodeos`, overrides `api.positions`.'),
  nodeos_path_prefix: z
    .string()
    .regex(/^(\/[A-Za-z0-9_-]{1,64}){1,4}$/)
    .refine((prefix) => !OWN_PATHS.includes(prefix.split('/')[1] ?? ''))
    .optional()
    .meta({
      takes: `a path such as /nodeos that does not begin with ${OWN_PATHS.map((path) => `/${path}`).join(', ')}`,
    })
    .describe(
      'The gateway serves all its paths also behind this prefix, with the positions of nodeos: a client of the history plugin ' +
        'takes the address with the prefix as that of its node.',
    ),
  limits: z
    .strictObject({
      get_actions: z.int().min(1).max(10_000).default(1000).describe('Largest number of actions per page.'),
    })
    .prefault({}),
  unknown_fields: z
    .enum(['guard', 'refuse', 'ignore'])
    .default('guard')
    .describe(
      'What happens to request fields that an endpoint does not have. `guard`: those that would change what is meant are ' +
        'refused (misspelled names, filters of other interfaces), all others are ignored, as nodes ignore them. `refuse`: all ' +
        'are refused. `ignore`: all are ignored.',
    ),
  threads: z
    .int()
    .min(0)
    .max(64)
    .optional()
    .describe(
      'Threads that render responses, in the process with all apps; each takes 40 to 150 MiB. 0: the thread that reads requests ' +
        'renders responses, too. Default: the number of processors less 2, at most 8. Apps that are processes of their own run ' +
        'in any number instead.',
    ),
  max_streams: z.int().min(0).max(100_000).default(1_000).describe('Largest number of open streams per process.'),
  rate_limit_rpm: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(0)
    .describe('Requests per minute and client address (IPv6: per /64); 0 = no limit.'),
  rate_limit_cost_per_minute: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(0)
    .describe(
      'Cost of requests per minute and client address (IPv6: per /64): the work for their responses, at least 1 each; ' +
        '0 = no limit.',
    ),
  body_limit_bytes: z
    .int()
    .min(1024)
    .max(16 * MIB)
    .default(64 * 1024)
    .describe('Largest request body.'),
});
