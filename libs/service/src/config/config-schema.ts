import { z } from 'zod';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const port = (meaning: string) => z.int().min(0).max(65535).describe(`${meaning} 0 = any free one.`);
const host = (fallback: string) => z.string().min(1).default(fallback).describe('Address to listen on.');
/** Users and passwords have keys of their own: a password in a URL would need to be encoded, and is soon printed. */
const serverUrl = (protocol: RegExp, takes: string) =>
  z
    .url({ protocol })
    .refine((url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '')
    .meta({ takes: `${takes} URL without user and password` });
const httpUrl = serverUrl(/^https?$/, 'an http:// or https://');
/** One URL, as most have, or several equal servers'. */
const httpUrls = (fallback: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim()))
    .pipe(z.array(httpUrl))
    .prefault(fallback)
    .meta({ takes: 'an http:// or https:// URL without user and password, or several with commas between' });
const shipUrl = z.url({ protocol: /^wss?$/ }).meta({ takes: 'a ws:// or wss:// URL' });
const count = (most: number) => z.int().min(1).max(most);
const seconds = z.number().min(0.01).max(3600);
const file = z.string().min(1);
const caFile = (server: string) =>
  file.optional().describe(`PEM file of the authority that signed ${server} certificate; without it the system's own.`);
const user = (server: string) => z.string().min(1).optional().describe(`User of ${server}.`);
const password = (server: string) =>
  z.string().min(1).optional().describe(`Password of that user of ${server}; better in the environment or a file.`);
const passwordFile = file.optional().describe('File that holds the password, instead of `password`.');
const keyPrefix = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
  .meta({ takes: 'up to 64 of a-z, 0-9, _ and -' });

const ship = z.strictObject({
  urls: z
    .array(shipUrl)
    .min(1)
    .default(['ws://127.0.0.1:8080'])
    .describe(
      'State history sockets of nodes of one chain. The first that answers is read; the next when it goes away. ' +
        'A user and password in a URL, percent-encoded, are sent to the proxy before the node (HTTP Basic).',
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
    // ws keeps it in 32 bits with a sign: more would be no bound at all.
    .max(2 * GIB - 1)
    .default(64 * MIB)
    .describe(
      'Largest message taken from a node; one that sends a larger is refused. Takes two bytes of memory for each, a hostile ' +
        'one up to ten. The first message of a node started from a snapshot carries the whole state: raise this for it, and ' +
        'lower it again.',
    ),
  max_bytes_in_flight: z
    .int()
    .min(MIB)
    .max(16 * GIB)
    .default(64 * MIB)
    .describe(
      'Bytes of messages that may wait to be passed on; no more is read from the node until fewer wait. One message may be ' +
        'larger.',
    ),
  reconnect_min_seconds: seconds.default(0.5).describe('Wait before the first new try; it doubles with each.'),
  reconnect_max_seconds: seconds.default(30).describe('Longest wait between two tries.'),
  ca_file: caFile("the node's"),
});

const elasticsearch = z.strictObject({
  urls: z
    .array(httpUrl)
    .min(1)
    .default(['http://127.0.0.1:9200'])
    .describe('Nodes of one Elasticsearch cluster, version 8 or 9.'),
  username: user('Elasticsearch'),
  password: password('Elasticsearch'),
  password_file: passwordFile,
  ca_file: caFile("Elasticsearch's"),
  index_prefix: keyPrefix.default('history').describe('What the names of all indices begin with; one per chain.'),
  blocks_per_index: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .default(1_000_000)
    .describe('How many block numbers share an index. Fixed when the first block is written.'),
  retain_blocks: z
    .int()
    .min(0)
    .max(4294967295)
    .default(0)
    .describe('How many of the newest blocks are kept; whole indices below them are deleted. 0 = all.'),
  replicas: z
    .int()
    .min(0)
    .max(10)
    .default(1)
    .describe('Copies of each index while following the head; while far behind there are none.'),
  bulk_bytes: z
    .int()
    .min(64 * 1024)
    .max(64 * MIB)
    .default(8 * MIB)
    .describe('Documents are sent together up to this size.'),
  bulk_concurrency: z.int().min(1).max(32).default(2).describe('How many of these requests are under way at once.'),
  commit_seconds: seconds.default(5).describe('How often what was written is shown while far behind the head.'),
  request_timeout_seconds: seconds.default(60).describe('How long an answer may take.'),
});

const rabbitmq = z.strictObject({
  url: serverUrl(/^amqps?$/, 'an amqp:// or amqps://')
    .default('amqp://127.0.0.1:5672')
    .describe('The RabbitMQ server, without vhost.'),
  vhost: z.string().min(1).default('history').describe('The virtual host that holds the queues; one per chain.'),
  username: z.string().min(1).default('history').describe('A user with all permissions on the virtual host.'),
  password: password('RabbitMQ'),
  password_file: passwordFile,
  ca_file: caFile("RabbitMQ's"),
  split_bytes: z
    .int()
    .min(64 * 1024)
    .max(128 * MIB)
    .default(8 * MIB)
    .describe("Messages above this size travel in parts; below the server's `max_message_size`."),
});

const redis = z.strictObject({
  url: serverUrl(/^rediss?$/, 'a redis:// or rediss://')
    .default('redis://127.0.0.1:6379')
    .describe('The Redis server; a path is the number of its database.'),
  username: user('Redis'),
  password: password('Redis'),
  password_file: passwordFile,
  ca_file: caFile("Redis's"),
  key_prefix: keyPrefix.default('history').describe('What all keys begin with; one per chain.'),
});

const store = z.strictObject({
  kind: z.enum(['lmdb', 'elasticsearch']).default('lmdb').describe('What keeps the history.'),
  path: z.string().min(1).default('./data').describe('Directory of the data, on a local disk.'),
  map_size_bytes: z
    .int()
    .min(0)
    .max(64 * 1024 * GIB)
    .default(0)
    .describe('Most that the data may take; 0 = as the disk has room.'),
  elasticsearch: elasticsearch.prefault({}),
});

const indexer = z.strictObject({
  batch_bytes: z
    .int()
    .min(1024)
    .max(GIB)
    .default(16 * MIB)
    .describe('Blocks are written together up to this size.'),
  batch_seconds: seconds.default(0.1).describe('Longest that a block waits for others to be written with.'),
  stall_seconds: seconds
    .default(60)
    .describe('When blocks come but the committed head stands still so long, the chain is read again from it.'),
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
    .describe('Requests per client address (of IPv6, per /64) and minute; 0 = no limit.'),
  rate_limit_cost_per_minute: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(0)
    .describe('Cost of requests (what responses take to make, at least 1 each) per client and minute; 0 = no limit.'),
  body_limit_bytes: z
    .int()
    .min(1024)
    .max(16 * MIB)
    .default(64 * 1024)
    .describe('Largest request body.'),
});

/** Of `docs` there is also `/openapi.json`. */
const PUBLIC_PATHS = ['live', 'health', 'health_details', 'metrics', 'status_page', 'docs'] as const;
export type PublicPath = (typeof PUBLIC_PATHS)[number];

const gateway = z.strictObject({
  host: host('127.0.0.1'),
  port: port('Port that clients use.').default(8888),
  public_paths: z
    .array(z.enum(PUBLIC_PATHS))
    .default(['live', 'health', 'docs'])
    .describe(
      'What that port shows besides the endpoints. `health` is short; `health_details` adds the components. ' +
        'The operations listener shows all of it.',
    ),
  history_api_url: httpUrls('http://127.0.0.1:8891').describe(
    'Where history-api listens; several of them share the requests.',
  ),
  chain_api_url: httpUrls('http://127.0.0.1:8892').describe(
    'Where chain-api listens; several of them share the requests.',
  ),
  trace_api_url: httpUrls('http://127.0.0.1:8893').describe(
    'Where trace-api listens; several of them share the requests.',
  ),
  chain_node_url: httpUrl
    .optional()
    .describe('Chain node that answers the other `/v1/chain/*` calls; without it they are unknown paths.'),
  trusted_proxies: z
    .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).meta({ takes: 'an IP address or range' }))
    .default([])
    .describe('Reverse proxies whose `X-Forwarded-For` names the client.'),
  max_connections: count(1_000_000).default(10_000).describe('Connections of clients.'),
  max_connections_per_client: count(1_000_000)
    .default(256)
    .describe('Connections per client address (of IPv6, per /64); trusted proxies may open any number.'),
  max_requests_in_flight: count(100_000)
    .default(64)
    .describe('Requests that the APIs and the chain node work on; others wait, each client in its turn.'),
  max_requests_per_client: count(100_000).default(16).describe('Of these, per client.'),
  max_requests_waiting: count(1_000_000)
    .default(1024)
    .describe('Requests that wait, a quarter of them of one client; any more are refused with 503.'),
  max_response_bytes_in_flight: z
    .int()
    .min(MIB)
    .max(64 * GIB)
    .default(256 * MIB)
    .describe('Bytes of responses that wait for clients to read them; above, the client that stands still is left.'),
  max_response_bytes_per_client: z
    .int()
    .min(MIB)
    .max(64 * GIB)
    .default(64 * MIB)
    .describe('Of these, per client; its next requests wait while there are more.'),
  api_keys_file: file
    .optional()
    .describe('JSON file of API keys by their SHA-256, with limits of their own; read again when it changes.'),
  api_keys_in_key_value: z
    .boolean()
    .default(false)
    .describe('Whether keys are looked for in the key-value store, too, under `api-key:SHA256`.'),
  require_api_key: z.boolean().default(false).describe('Whether requests without a known API key are refused.'),
  write_timeout_seconds: seconds
    .default(30)
    .describe('A client that reads less than 1 KiB per second for so long is disconnected.'),
});

const apiServer = (fallbackPort: number) =>
  z.strictObject({ host: host('127.0.0.1'), port: port('Port that the gateway uses.').default(fallbackPort) });
const opsPort = (meaning: string) => port(meaning).optional();
const ops = z.strictObject({
  host: host('127.0.0.1'),
  gateway_port: opsPort(
    'Port of the operations listener (/live, /health, /metrics, / and /docs) of the gateway, and of the service in one ' +
      'process; none without it.',
  ),
  history_api_port: opsPort('Port of /live, /health and /metrics of history-api, apart from requests.'),
  chain_api_port: opsPort('The same of chain-api.'),
  trace_api_port: opsPort('The same of trace-api.'),
  reader_port: opsPort('The same of the reader.'),
  deserializer_port: opsPort('The same of the deserializer.'),
  indexer_port: opsPort('The same of the indexer.'),
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
    .strictObject({
      kind: z.enum(['memory', 'rabbitmq']).default('memory').describe('What carries blocks between the stages.'),
      rabbitmq: rabbitmq.prefault({}),
    })
    .prefault({}),
  key_value: z
    .strictObject({
      kind: z.enum(['memory', 'redis']).default('memory').describe('What counts requests and shares progress.'),
      redis: redis.prefault({}),
    })
    .prefault({}),
  indexer: indexer.prefault({}),
  api: api.prefault({}),
  gateway: gateway.prefault({}),
  history_api: apiServer(8891).prefault({}),
  chain_api: apiServer(8892).prefault({}),
  trace_api: apiServer(8893).prefault({}),
  ops: ops.prefault({}),
});
