import { z } from 'zod';
import type { CamelCaseKeys } from './camel-case';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const port = (meaning: string) => z.int().min(0).max(65535).describe(`${meaning} 0 = any free port.`);
const host = (fallback: string) => z.string().min(1).default(fallback).describe('Address to listen on.');
/** Users and passwords have keys of their own: a password in a URL needs to be encoded, and URLs are logged. */
const serverUrl = (protocol: RegExp, takes: string) =>
  z
    .url({ protocol })
    .refine((url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '')
    .meta({ takes: `${takes} URL without user and password` });
const httpUrl = serverUrl(/^https?$/, 'an http:// or https://');
/** One URL, or those of several equivalent servers in one text. */
const httpUrlList = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .pipe(z.array(httpUrl));
const takesHttpUrls = { takes: 'an http:// or https:// URL without user and password, or several separated by commas' };
const httpUrls = (fallback: string) => httpUrlList.prefault(fallback).meta(takesHttpUrls);
const shipUrl = z.url({ protocol: /^wss?$/ }).meta({ takes: 'a ws:// or wss:// URL' });
const count = (most: number) => z.int().min(1).max(most);
const seconds = z.number().min(0.01).max(3600);
const file = z.string().min(1);
const caFile = (server: string) =>
  file
    .optional()
    .describe(`PEM file of the authority that signed ${server} certificate; default: those of the system.`);
const user = (server: string) => z.string().min(1).optional().describe(`User name for ${server}.`);
const password = z
  .string()
  .min(1)
  .optional()
  .describe(`Password of the user; preferably set by an environment variable or \`password_file\`.`);
const passwordFile = file.optional().describe('File that contains the password; replaces `password`.');
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
      'State history endpoints of nodes of one chain. The first reachable node is read; when its connection closes, the ' +
        'next one. A percent-encoded user and password in a URL are sent as HTTP Basic authentication, for a proxy in ' +
        'front of the node.',
    ),
  start_block: z
    .int()
    .min(0)
    .max(4294967295)
    .default(0)
    .describe('First block to index into an empty store; 0 = the first block that the node has.'),
  max_messages_in_flight: z
    .int()
    .min(1)
    .max(10_000)
    .default(64)
    .describe('Number of unacknowledged blocks that the node may send.'),
  max_message_bytes: z
    .int()
    .min(MIB)
    // ws stores the limit as a signed 32-bit integer; a larger value disables it.
    .max(2 * GIB - 1)
    .default(64 * MIB)
    .describe(
      'Largest message accepted from a node; a node that sends a larger one is refused. A message takes twice its size in ' +
        'memory, a malicious one up to ten times. The first message of a node started from a snapshot contains the whole ' +
        'state: raise the limit for it, then lower it again.',
    ),
  max_bytes_in_flight: z
    .int()
    .min(MIB)
    .max(16 * GIB)
    .default(64 * MIB)
    .describe(
      'Total size of messages that wait to be published; above it, reading from the node pauses. A single message may be ' +
        'larger.',
    ),
  reconnect_min_seconds: seconds
    .default(0.5)
    .describe('Delay before the first reconnect attempt; it doubles with each attempt.'),
  reconnect_max_seconds: seconds
    .default(30)
    .describe('Longest delay between two attempts; in the first minute of an outage it is at most two seconds.'),
  silence_seconds: z
    .number()
    .min(0)
    .max(86_400)
    .default(60)
    .describe(
      'Time without a block after which the connection is closed and the next node is tried: a node can stay connected and ' +
        'stand still. 0 = wait for ever, for a chain that pauses.',
    ),
  ca_file: caFile("the node's"),
});

const elasticsearch = z.strictObject({
  urls: z
    .array(httpUrl)
    .min(1)
    .default(['http://127.0.0.1:9200'])
    .describe('Nodes of one Elasticsearch cluster, version 8 or 9.'),
  username: user('Elasticsearch'),
  password,
  password_file: passwordFile,
  ca_file: caFile("Elasticsearch's"),
  index_prefix: keyPrefix.default('history').describe('Prefix of all index names; each chain needs its own.'),
  blocks_per_index: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .default(1_000_000)
    .describe('Number of block numbers per index. Fixed when the first block is written.'),
  retain_blocks: z
    .int()
    .min(0)
    .max(4294967295)
    .default(0)
    .describe('Number of newest blocks to keep; indices that lie entirely below them are deleted. 0 = all blocks.'),
  replicas: z.int().min(0).max(10).default(1).describe('Replicas of each index.'),
  catch_up_replicas: z
    .int()
    .min(0)
    .max(10)
    .optional()
    .describe(
      'Replicas of new indices while the indexer is far behind the head; default: `replicas`. 0 about halves the work of a bulk ' +
        'load, but a disk that is lost meanwhile takes committed blocks with it.',
    ),
  bulk_bytes: z
    .int()
    .min(64 * 1024)
    .max(64 * MIB)
    .default(8 * MIB)
    .describe('Largest bulk request.'),
  bulk_concurrency: z.int().min(1).max(32).default(2).describe('Number of concurrent bulk requests.'),
  commit_seconds: seconds
    .default(5)
    .describe('Interval of commits, which make written blocks visible, while the indexer is far behind the head.'),
  request_timeout_seconds: seconds.default(60).describe('Timeout of a request.'),
});

const rabbitmq = z.strictObject({
  url: serverUrl(/^amqps?$/, 'an amqp:// or amqps://')
    .default('amqp://127.0.0.1:5672')
    .describe('The RabbitMQ server, without virtual host.'),
  vhost: z.string().min(1).default('history').describe('The virtual host of the queues; each chain needs its own.'),
  username: z.string().min(1).default('history').describe('A user with all permissions on the virtual host.'),
  password,
  password_file: passwordFile,
  ca_file: caFile("RabbitMQ's"),
  split_bytes: z
    .int()
    .min(64 * 1024)
    .max(128 * MIB)
    .default(8 * MIB)
    .describe("Messages above this size are sent in parts. Must be below the server's `max_message_size`."),
});

const redis = z.strictObject({
  url: serverUrl(/^rediss?$/, 'a redis:// or rediss://')
    .default('redis://127.0.0.1:6379')
    .describe('The Redis server; the path of the URL is the database number.'),
  username: user('Redis'),
  password,
  password_file: passwordFile,
  ca_file: caFile("Redis's"),
  key_prefix: keyPrefix.default('history').describe('Prefix of all keys; each chain needs its own.'),
});

const lmdb = z.strictObject({
  path: z.string().min(1).default('./data').describe('Directory of the data, on a local disk.'),
  map_size_bytes: z
    .int()
    .min(0)
    .max(64 * 1024 * GIB)
    .default(0)
    .describe('Largest size of the data; 0 = limited by the disk only.'),
});

const store = z.strictObject({
  kind: z.enum(['lmdb', 'elasticsearch']).default('lmdb').describe('Store of the history.'),
  lmdb: lmdb.prefault({}),
  elasticsearch: elasticsearch.prefault({}),
});

const indexer = z.strictObject({
  verify_blocks: z
    .enum(['off', 'new', 'all'])
    .default('new')
    .describe(
      'Which blocks are compared with the roots in their headers before they are indexed; a node whose block differs is ' +
        'refused. `new`: blocks that are not irreversible yet. `all`: also while catching up, which takes longer.',
    ),
  batch_bytes: z
    .int()
    .min(1024)
    .max(GIB)
    .default(16 * MIB)
    .describe('Largest batch of blocks that is written at once.'),
  batch_seconds: seconds.default(0.1).describe('Longest time that a block waits for its batch to fill.'),
  stall_seconds: seconds
    .default(60)
    .describe(
      'When blocks arrive but the committed head does not advance for this time, the chain is read again from the ' +
        'committed head.',
    ),
});

const api = z.strictObject({
  require_bounded_asc: z
    .boolean()
    .default(true)
    .describe('Whether ascending get_actions requests need `after` or `before`.'),
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
        'original history plugin; requests are served as by /v1/history/nodeos/get_actions. The gateway reads it.',
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
    .optional()
    .meta({ takes: 'a path such as /nodeos' })
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

/** `docs` includes `/openapi.json`. */
const PUBLIC_PATHS = ['live', 'health', 'health_details', 'metrics', 'status_page', 'docs'] as const;
export type PublicPath = (typeof PUBLIC_PATHS)[number];

const gateway = z.strictObject({
  host: host('127.0.0.1'),
  port: port('Port for clients.').default(8888),
  public_paths: z
    .array(z.enum(PUBLIC_PATHS))
    .default(['live', 'health', 'docs'])
    .describe(
      'Pages on that port besides the endpoints. `health` is short; `health_details` adds the components. ' +
        'The operations listener serves all pages.',
    ),
  history_api_url: httpUrls('http://127.0.0.1:8891').describe(
    'Address of history-api; several instances share the requests.',
  ),
  chain_api_url: httpUrls('http://127.0.0.1:8892').describe(
    'Address of chain-api; several instances share the requests.',
  ),
  trace_api_url: httpUrls('http://127.0.0.1:8893').describe(
    'Address of trace-api; several instances share the requests.',
  ),
  chain_node_url: httpUrlList
    .optional()
    .meta(takesHttpUrls)
    .describe(
      'Chain nodes for all other `/v1/chain/*` requests, and for the fields of `get_info` that only a node knows: the ' +
        'chain API reads it, too. Of several, one that fails or lags by more than 20 blocks is skipped for 5 seconds. ' +
        'Without it these paths are unknown and these fields absent.',
    ),
  trusted_proxies: z
    .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).meta({ takes: 'an IP address or range' }))
    .default([])
    .describe('Reverse proxies whose `X-Forwarded-For` header names the client.'),
  max_connections: count(1_000_000).default(10_000).describe('Largest number of client connections.'),
  max_connections_per_client: count(1_000_000)
    .default(256)
    .describe('Largest number of connections per client address (IPv6: per /64); trusted proxies have no limit.'),
  max_requests_in_flight: count(100_000)
    .default(64)
    .describe(
      'Requests that the APIs and the chain node process at once; further requests wait, and clients take turns.',
    ),
  max_requests_per_client: count(100_000).default(16).describe('The same per client.'),
  max_requests_waiting: count(1_000_000)
    .default(1024)
    .describe(
      'Largest number of waiting requests, at most a quarter of them from one client; further requests receive 503.',
    ),
  max_response_bytes_in_flight: z
    .int()
    .min(MIB)
    .max(64 * GIB)
    .default(256 * MIB)
    .describe(
      'Bytes of responses that clients have not read yet; above it, the connection of a client that does not read is closed.',
    ),
  max_response_bytes_per_client: z
    .int()
    .min(MIB)
    .max(64 * GIB)
    .default(64 * MIB)
    .describe('The same per client; its next requests wait while it is exceeded.'),
  api_keys_file: file
    .optional()
    .describe('JSON file of API keys by their SHA-256 digests, with limits per key; reloaded when it changes.'),
  api_keys_in_key_value: z
    .boolean()
    .default(false)
    .describe('Whether API keys are also looked up in the key-value store, under `api-key:SHA256`.'),
  require_api_key: z.boolean().default(false).describe('Whether requests without a known API key are rejected.'),
  write_timeout_seconds: seconds
    .default(30)
    .describe('A client that reads less than 1 KiB per second for this time is disconnected.'),
});

const apiServer = (fallbackPort: number) =>
  z.strictObject({ host: host('127.0.0.1'), port: port('Port for the gateway.').default(fallbackPort) });
const opsPort = (meaning: string) => port(meaning).optional();
const ops = z.strictObject({
  host: host('127.0.0.1'),
  gateway_port: opsPort(
    'Port of the operations listener (/live, /health, /metrics, / and /docs) of the gateway and of the standalone app; ' +
      'without it there is no such listener.',
  ),
  history_api_port: opsPort('Port of the operations listener (/live, /health and /metrics) of history-api.'),
  chain_api_port: opsPort('The same for chain-api.'),
  trace_api_port: opsPort('The same for trace-api.'),
  reader_port: opsPort('The same for the reader.'),
  deserializer_port: opsPort('The same for the deserializer.'),
  indexer_port: opsPort('The same for the indexer.'),
});

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
  broker: z
    .strictObject({
      kind: z.enum(['memory', 'rabbitmq']).default('memory').describe('Broker that carries blocks between the stages.'),
      rabbitmq: rabbitmq.prefault({}),
    })
    .prefault({}),
  key_value: z
    .strictObject({
      kind: z
        .enum(['memory', 'redis'])
        .default('memory')
        .describe('Key-value store for request counters and shared progress.'),
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

/** The configuration as code sees it: with every default, in camelCase. */
export type Config = CamelCaseKeys<z.output<typeof configSchema>>;
