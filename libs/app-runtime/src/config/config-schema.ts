import { z } from 'zod';
import type { CamelCaseKeys } from './camel-case';
import { api } from './sections/api';
import { broker } from './sections/broker';
import { gateway } from './sections/gateway';
import { index } from './sections/index-section';
import { indexer } from './sections/indexer';
import { keyValue } from './sections/key-value';
import { apiServer, ops } from './sections/listeners';
import { ship } from './sections/ship';
import { store } from './sections/store';

/** Every configuration key. `docs/configuration.md` is generated from it. */
export const configSchema = z.strictObject({
  log_level: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level that is logged.'),
  chain_id: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ takes: '64 lowercase hex digits' })
    .optional()
    .describe(
      'Id of the chain to index; nodes and data of other chains are refused. Default: the chain of the first node.',
    ),
  ship: ship.prefault({}),
  store: store.prefault({}),
  broker: broker.prefault({}),
  key_value: keyValue.prefault({}),
  index: index.prefault({}),
  indexer: indexer.prefault({}),
  api: api.prefault({}),
  gateway: gateway.prefault({}),
  history_api: apiServer(8891).prefault({}),
  chain_api: apiServer(8892).prefault({}),
  trace_api: apiServer(8893).prefault({}),
  ops: ops.prefault({}),
});

/** The configuration as code sees it: with every default, in camelCase. */
export type Config = CamelCaseKeys<z.output<typeof configSchema>>;
