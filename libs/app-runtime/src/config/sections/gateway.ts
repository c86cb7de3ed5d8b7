import { z } from 'zod';
import { chains } from './chains';
import {
  GIB,
  MIB,
  count,
  host,
  httpUrl,
  httpUrlList,
  httpUrls,
  path,
  port,
  seconds,
  takesHttpUrls,
} from './field-types';

/** `docs` includes `/openapi.json`. */
const PUBLIC_PATHS = ['live', 'health', 'health_details', 'metrics', 'status_page', 'explorer', 'docs'] as const;
export type PublicPath = (typeof PUBLIC_PATHS)[number];

export const gateway = z.strictObject({
  host: host('127.0.0.1'),
  port: port('Port for clients.').default(8888),
  public_paths: z
    .array(z.enum(PUBLIC_PATHS))
    .default(['live', 'health', 'docs'])
    .describe(
      'Pages on that port besides the endpoints. `health` is short; `health_details` adds the components. `explorer` and ' +
        '`status_page` are two parts of the page at `/`: what the chain holds, and how the service runs. ' +
        'The operations listener serves all pages.',
    ),
  public_url: httpUrl
    .optional()
    .describe(
      'The URL under which browsers reach that port, for the page of the operations listener. Default: `port` of the host ' +
        'that serves the page, or of `host` for a browser on the same machine.',
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
        'chain API reads it, too. Of several, the gateway skips one that does not respond, lags by more than 20 blocks or is ' +
        'on another chain, until it is well. ' +
        'Without it these paths are unknown and these fields absent.',
    ),
  node_body_limit_bytes: z
    .int()
    .min(1024)
    .max(16 * MIB)
    .default(2 * MIB)
    .describe(
      'Largest body of a request to these nodes, where it is more than `api.body_limit_bytes`; the default is that of nodeos. ' +
        'Bodies above that key are read 16 at a time, 4 per client; further ones receive 503, unless one that arrives at less than 64 KiB per second has to give its place up.',
    ),
  chains: chains
    .optional()
    .describe('Several chains behind one gateway; the addresses above are not used then. See several-chains.md.'),
  trusted_proxies: z
    .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).meta({ takes: 'an IP address or range' }))
    .default([])
    .describe('Reverse proxies whose `X-Forwarded-For` header names the client.'),
  max_streams_per_client: count(100_000)
    .default(16)
    .describe('Largest number of open streams per client address (IPv6: per /64).'),
  max_connections: count(1_000_000).default(10_000).describe('Largest number of client connections.'),
  max_connections_per_client: count(1_000_000)
    .default(256)
    .describe('Largest number of connections per client address (IPv6: per /64); trusted proxies have no limit.'),
  max_requests_in_flight: count(100_000)
    .default(64)
    .describe(
      'Requests that the APIs process at once, and as many that the chain nodes do; further requests wait, and clients take turns.',
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
  api_keys_file: path
    .optional()
    .describe('JSON file of API keys by their SHA-256 digests, with limits per key; reloaded when it changes.'),
  api_keys_in_key_value: z
    .boolean()
    .default(false)
    .describe(
      'Whether API keys are also looked up in the key-value store, under `api-key:SHA256`. Of an address, as many unknown keys per ' +
        'minute are looked up as its rate limits allow requests, 6,000 where it has none.',
    ),
  require_api_key: z.boolean().default(false).describe('Whether requests without a known API key are rejected.'),
  access_log: z
    .enum(['off', 'common', 'json'])
    .default('off')
    .describe('A line per request in the Common Log Format, or as JSON with id, key name and duration; never a body.'),
  access_log_file: path
    .optional()
    .describe(
      'File to which these lines are appended (rotate it by copying and truncating); without it standard output.',
    ),
  write_timeout_seconds: seconds
    .default(30)
    .describe('A client that reads less than 1 KiB per second for this time is disconnected.'),
});
