import { z } from 'zod';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const port = (meaning: string) => z.int().min(0).max(65535).describe(`${meaning} 0 = any free one.`);
const host = (fallback: string) => z.string().min(1).default(fallback).describe('Address to listen on.');
const httpUrl = z.url({ protocol: /^https?$/ }).meta({ takes: 'an http:// or https:// URL' });
const shipUrl = z.url({ protocol: /^wss?$/ }).meta({ takes: 'a ws:// or wss:// URL' });
const seconds = z.number().min(0.01).max(3600);

const ship = z.strictObject({
  urls: z
    .array(shipUrl)
    .min(1)
    .default(['ws://127.0.0.1:8080'])
    .describe(
      'State history sockets of nodes of one chain. The first that answers is read; the next when it goes away.',
    ),
  start_block: z
    .int()
    .min(0)
    .max(4294967295)
    .default(0)
    .describe('First block of an empty store; 0 = the first that the node has.'),
  max_messages_in_flight: z
    .int()
    .min(1)
    .max(10_000)
    .default(64)
    .describe('Blocks that the node may send before one is acknowledged.'),
  max_message_bytes: z
    .int()
    .min(MIB)
    .max(16 * GIB)
    .default(GIB)
    .describe('Largest message taken; the first of a node started from a snapshot carries the whole state.'),
  reconnect_min_seconds: seconds.default(0.5).describe('Wait before the first new try; it doubles with each.'),
  reconnect_max_seconds: seconds.default(30).describe('Longest wait between two tries.'),
});

const store = z.strictObject({
  kind: z.enum(['lmdb']).default('lmdb').describe('What keeps the history.'),
  path: z.string().min(1).default('./data').describe('Directory of the data, on a local disk.'),
  map_size_bytes: z
    .int()
    .min(0)
    .max(64 * 1024 * GIB)
    .default(0)
    .describe('Most that the data may take; 0 = as the disk has room.'),
});

const indexer = z.strictObject({
  batch_bytes: z
    .int()
    .min(1024)
    .max(GIB)
    .default(16 * MIB)
    .describe('Blocks are written together up to this size.'),
  batch_seconds: seconds.default(0.1).describe('Longest that a block waits for others to be written with.'),
});

const api = z.strictObject({
  require_bounded_asc: z
    .boolean()
    .default(true)
    .describe('Whether ascending get_actions need `after` and/or `before`.'),
  max_asc_window_days: z
    .int()
    .min(1)
    .max(36_500)
    .default(90)
    .describe('How far back a date in `after` may lie in ascending get_actions.'),
  limits: z
    .strictObject({
      get_actions: z.int().min(1).max(10_000).default(1000).describe('Most actions per page.'),
    })
    .prefault({}),
  rate_limit_rpm: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(0)
    .describe('Requests per client address and minute; 0 = no limit.'),
  body_limit_bytes: z
    .int()
    .min(1024)
    .max(16 * MIB)
    .default(64 * 1024)
    .describe('Largest request body.'),
});

const gateway = z.strictObject({
  host: host('0.0.0.0'),
  port: port('Port that clients use.').default(8888),
  history_api_url: httpUrl.default('http://127.0.0.1:8891').describe('Where history-api listens.'),
  chain_api_url: httpUrl.default('http://127.0.0.1:8892').describe('Where chain-api listens.'),
  trace_api_url: httpUrl.default('http://127.0.0.1:8893').describe('Where trace-api listens.'),
  chain_node_url: httpUrl
    .optional()
    .describe('Chain node that answers the other `/v1/chain/*` calls; without it they are unknown paths.'),
  trusted_proxies: z
    .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).meta({ takes: 'an IP address or range' }))
    .default([])
    .describe('Reverse proxies whose `X-Forwarded-For` names the client.'),
});

const apiServer = (fallbackPort: number) =>
  z.strictObject({ host: host('127.0.0.1'), port: port('Port that the gateway uses.').default(fallbackPort) });
const ops = z.strictObject({
  host: host('127.0.0.1'),
  reader_port: port('Port of /health, /live and /metrics of the reader; none without it.').optional(),
  deserializer_port: port('The same of the deserializer.').optional(),
  indexer_port: port('The same of the indexer.').optional(),
});

/** Everything that can be configured. `docs/configuration.md` is generated from it. */
export const configSchema = z.strictObject({
  log_level: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least level that is logged.'),
  chain_id: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ takes: '64 lowercase hex digits' })
    .optional()
    .describe('The chain to index; nodes and data of another are refused. Without it the first node decides.'),
  ship: ship.prefault({}),
  store: store.prefault({}),
  broker: z
    .strictObject({ kind: z.enum(['memory']).default('memory').describe('What carries blocks between the stages.') })
    .prefault({}),
  key_value: z
    .strictObject({ kind: z.enum(['memory']).default('memory').describe('What counts requests and shares progress.') })
    .prefault({}),
  indexer: indexer.prefault({}),
  api: api.prefault({}),
  gateway: gateway.prefault({}),
  history_api: apiServer(8891).prefault({}),
  chain_api: apiServer(8892).prefault({}),
  trace_api: apiServer(8893).prefault({}),
  ops: ops.prefault({}),
});
