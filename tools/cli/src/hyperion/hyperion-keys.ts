import { HistoryError } from '@antelope-history/schemas';
import { type HyperionFiles, isObject, type JsonObject } from './hyperion-files';

/** What a key of Hyperion becomes. */
export interface Outcome {
  /** Keys of this service with their values; passwords never stand here. */
  settings?: Record<string, unknown>;
  /** A password, and the key that names the file to which it goes. */
  secret?: { key: string; file: string; value: string };
  /** Why the key has no counterpart, or what the operator has to know about it. */
  note?: string | undefined;
}

export type Rule = (value: unknown, files: HyperionFiles, key: string) => Outcome;

const none =
  (note: string): Rule =>
  () => ({ note });
const same =
  (key: string): Rule =>
  (value) => ({ settings: { [key]: value } });
const secret =
  (key: string, file: string): Rule =>
  (value, _files, from) =>
    value === '' ? { note: 'empty' } : { secret: { key, file, value: text(value, from) } };
const textUnlessEmpty =
  (key: string): Rule =>
  (value, _files, from) =>
    value === '' ? { note: 'empty' } : { settings: { [key]: text(value, from) } };

const ONE_PASS = 'one pass reads the past and then follows the head';
const WHOLE = 'transactions and lists are whole';
const FINAL_ONLY = 'only responses that can no longer change are cached';
const EVERYTHING = 'every action of every contract is indexed';
const PROCESSES = 'start one reader, and as many deserializers and indexers as there is work for';
const TIERS = 'see "Tiers" in docs/elasticsearch.md: store.elasticsearch.tiers counts blocks';

/**
 * What each key of Hyperion 4 becomes; a key covers those below it. `connections.json` has no prefix, apart from the chain's own
 * entry, which is `chains.X`. docs/moving-from-hyperion.md has the same keys for readers.
 */
export const HYPERION_KEYS: Readonly<Record<string, Rule>> = {
  'amqp.host': (value, _files, from) => ({
    settings: { 'broker.kind': 'rabbitmq', 'broker.rabbitmq.url': `amqp://${text(value, from)}` },
  }),
  'amqp.user': textUnlessEmpty('broker.rabbitmq.username'),
  'amqp.pass': secret('broker.rabbitmq.password_file', 'rabbitmq-password'),
  'amqp.vhost': (_value, { chainName }) => ({
    settings: { 'broker.rabbitmq.vhost': ownName(chainName) },
    note: 'a virtual host of its own per chain, which has to be created: see docs/rabbitmq.md',
  }),
  'amqp.api': none('the management interface is not used'),
  'amqp.protocol': none('the management interface is not used'),
  'amqp.frameMax': none('messages are split by broker.rabbitmq.split_bytes'),
  'elasticsearch.host': elasticsearchUrls,
  'elasticsearch.ingest_nodes': elasticsearchUrls,
  'elasticsearch.protocol': (value) => ({
    note:
      value === 'https'
        ? 'certificates are verified: store.elasticsearch.ca_file names the authority'
        : 'part of store.elasticsearch.urls',
  }),
  'elasticsearch.user': textUnlessEmpty('store.elasticsearch.username'),
  'elasticsearch.pass': secret('store.elasticsearch.password_file', 'elasticsearch-password'),
  'redis.host': redisUrl,
  'redis.port': redisUrl,
  'redis.db': redisUrl,
  'redis.tls': redisUrl,
  'redis.username': textUnlessEmpty('key_value.redis.username'),
  'redis.password': secret('key_value.redis.password_file', 'redis-password'),
  mongodb: none('permissions are in the store'),
  'chains.X.name': none('clients see the chain by its id'),
  'chains.X.chain_id': same('chain_id'),
  'chains.X.ship': (value, _files, from) => ({ settings: { 'ship.urls': shipUrls(value, from) } }),
  'chains.X.http': chainNode,
  'chains.X.WS_ROUTER_HOST': none('the stream is served by the gateway: docs/stream.md'),
  'chains.X.WS_ROUTER_PORT': none('the stream is served by the gateway: docs/stream.md'),
  'chains.X.control_port': none('the processes need no control port'),
  'api.chain_api': chainNode,
  'api.push_api': none('transactions go to gateway.chain_node_url'),
  'api.server_addr': same('gateway.host'),
  'api.server_port': (value) => ({
    settings: { 'gateway.port': value },
    note: 'choose another port while Hyperion listens on this one',
  }),
  'api.stream_port': none('the stream is served by the gateway: docs/stream.md'),
  'api.stream_scroll_limit': none('the stream has no limit of rows'),
  'api.stream_scroll_batch': none('the stream has no limit of rows'),
  'api.chain_name': none('clients see the chain by its id'),
  'api.server_name': none('not shown'),
  'api.chain_logo_url': none('not shown'),
  'api.provider_name': none('not shown'),
  'api.provider_url': none('not shown'),
  'api.provider_logo': none('not shown'),
  'api.explorer': none('the explorer is part of the page: docs/monitoring.md'),
  'api.enable_explorer': none('the explorer is part of the page: docs/operations.md'),
  'api.pm2_scaling': none(
    'several APIs: addresses separated by commas in gateway.history_api_url and the two beside it',
  ),
  'api.node_max_old_space_size': none('the memory of each process is bounded: docs/sizing.md'),
  'api.limits.get_actions': (value, _files, from) => ({
    settings: { 'api.limits.get_actions': Math.min(integer(value, from), MAX_PAGE) },
    note: integer(value, from) > MAX_PAGE ? `at most ${MAX_PAGE}` : undefined,
  }),
  'api.limits': none(WHOLE),
  'api.max_asc_window_days': same('api.max_asc_window_days'),
  'api.require_bounded_asc': same('api.require_bounded_asc'),
  'api.query_timeout': none('store.elasticsearch.request_timeout_seconds holds for writes, too, and keeps its default'),
  'api.enable_caching': none(FINAL_ONLY),
  'api.cache_life': none(FINAL_ONLY),
  'api.disable_tx_cache': none(FINAL_ONLY),
  'api.tx_cache_expiration_sec': none(FINAL_ONLY),
  'api.v1_chain_cache': none(FINAL_ONLY),
  'api.disable_rate_limit': (value) =>
    value === true ? { settings: { 'api.rate_limit_rpm': 0 } } : { note: 'api.rate_limit_rpm has the limit' },
  'api.rate_limit_rpm': (value, { settings }) =>
    objectAt(settings, 'api').disable_rate_limit === true
      ? { note: 'the rate limit is off' }
      : { settings: { 'api.rate_limit_rpm': value } },
  'api.rate_limit_allow': none('an API key with limits of its own: gateway.api_keys_file'),
  'api.access_log': (value) => ({ settings: { 'gateway.access_log': value === true ? 'common' : 'off' } }),
  'api.log_errors': none('errors are always logged'),
  'api.chain_api_error_log': none('errors are always logged'),
  'api.custom_core_token': none('no response depends on the core token'),
  'api.hot_first_actions': none('the index finds the ranges of an account by itself'),
  'api.hot_first_window': none('the index finds the ranges of an account by itself'),
  'api.hot_first_transaction': none('the index finds the ranges of an account by itself'),
  'api.hot_first_profiling': none('the index finds the ranges of an account by itself'),
  'indexer.start_on': (value, _files, from) => startBlock(integer(value, from)),
  'indexer.stop_on': none(ONE_PASS),
  'indexer.rewrite': none(ONE_PASS),
  'indexer.purge_queues': none('the queues are emptied by the service where that is right'),
  'indexer.live_reader': none(ONE_PASS),
  'indexer.live_only_mode': none(ONE_PASS),
  'indexer.abi_scan_mode': none(ONE_PASS),
  'indexer.fetch_block': none('blocks, traces and deltas are all read'),
  'indexer.fetch_traces': none('blocks, traces and deltas are all read'),
  'indexer.fetch_deltas': none('blocks, traces and deltas are all read'),
  'indexer.process_deltas': none('blocks, traces and deltas are all read'),
  'indexer.disable_reading': none('each stage is an app of its own'),
  'indexer.disable_indexing': none('each stage is an app of its own'),
  'indexer.max_inline': none('no trace is cut'),
  'indexer.node_max_old_space_size': none('the memory of each process is bounded: docs/sizing.md'),
  'settings.preview': none(ONE_PASS),
  'settings.chain': none('the name is part of the prefixes'),
  'settings.index_version': none('the format has a version of its own'),
  'settings.index_partition_size': none(
    'an index here has one shard, so store.elasticsearch.blocks_per_index keeps its default',
  ),
  'settings.es_replicas': same('store.elasticsearch.replicas'),
  'settings.max_retained_blocks': (value) =>
    value === 0
      ? { note: '0 is the default here' }
      : { settings: { 'store.elasticsearch.retain_blocks': value, 'store.lmdb.retain_blocks': value } },
  'settings.tiered_index_allocation': none(TIERS),
  'settings.hot_warm_policy': none(TIERS),
  'settings.max_ws_payload_mb': (value, _files, from) => ({
    settings: { 'ship.max_message_bytes': integer(value, from) * 1_048_576 },
    note: 'a node can make a process take ten times as much memory; the default is 64 MiB',
  }),
  'settings.debug': (value) =>
    value === true ? { settings: { log_level: 'debug' } } : { note: 'off is the default here' },
  'settings.parser': none('the layout of the state history comes from the node'),
  settings: none('nothing to set'),
  'prefetch.read': same('ship.max_messages_in_flight'),
  'prefetch.block': none('queues are bounded by bytes: ship.max_bytes_in_flight'),
  'prefetch.index': none('batches are bounded by bytes: indexer.batch_bytes, store.elasticsearch.bulk_bytes'),
  'scaling.batch_size': none('batches are bounded by bytes: indexer.batch_bytes, store.elasticsearch.bulk_bytes'),
  'scaling.block_queue_limit': none('queues are bounded by bytes: ship.max_bytes_in_flight'),
  scaling: none(PROCESSES),
  features: none(EVERYTHING),
  whitelists: none(EVERYTHING),
  blacklists: none(EVERYTHING),
  plugins: none('there are no plugins'),
  alerts: none('deploy/prometheus/alerts.yaml has alert rules'),
  hub: none('nothing to set'),
  experimental: none('nothing to set'),
};

const MAX_PAGE = 10_000;

/** The prefix of the chain's names on servers that several chains share. */
export function ownName(chainName: string): string {
  return `history-${chainName}`;
}

function elasticsearchUrls(_value: unknown, { connections }: HyperionFiles): Outcome {
  const { host, protocol = 'http', ingest_nodes: nodes } = objectAt(connections, 'elasticsearch');
  const hosts = new Set(
    [host, ...(Array.isArray(nodes) ? (nodes as unknown[]) : [])].filter((each) => each !== undefined),
  );
  const urls = [...hosts].map(
    (each) => `${text(protocol, 'elasticsearch.protocol')}://${text(each, 'elasticsearch.host')}`,
  );
  return { settings: { 'store.kind': 'elasticsearch', 'store.elasticsearch.urls': urls } };
}

function redisUrl(_value: unknown, { connections }: HyperionFiles): Outcome {
  const { host = '127.0.0.1', port = 6379, db, tls } = objectAt(connections, 'redis');
  const address = `${text(host, 'redis.host')}:${integer(port, 'redis.port')}`;
  const database = db === undefined || db === 0 ? '' : `/${integer(db, 'redis.db')}`;
  const url = `${tls === undefined ? 'redis' : 'rediss'}://${address}${database}`;
  return { settings: { 'key_value.kind': 'redis', 'key_value.redis.url': url } };
}

/** `api.chain_api` takes precedence over the chain's own address, as in Hyperion. */
function chainNode(_value: unknown, { chain, settings }: HyperionFiles): Outcome {
  const { chain_api: own } = objectAt(settings, 'api');
  const url = typeof own === 'string' && own !== '' ? own : chain.http;
  return url === undefined || url === ''
    ? { note: 'empty' }
    : { settings: { 'gateway.chain_node_url': text(url, 'chains.X.http') } };
}

function startBlock(block: number): Outcome {
  if (block <= 1) return { note: 'the first block that the node has' };
  return {
    settings: { 'ship.start_block': block },
    note: 'better a node that was started with a snapshot of that block: docs/installation.md',
  };
}

/** Hyperion takes one address, a list, or a list of objects with `url`. */
function shipUrls(value: unknown, key: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.map((each) => text(isObject(each) ? each.url : each, key));
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isObject(value) ? value : {};
}

function text(value: unknown, key: string): string {
  if (typeof value !== 'string' || value === '') throw new HistoryError('CONFIG_INVALID', `${key}: takes a text`);
  return value;
}

function integer(value: unknown, key: string): number {
  if (!Number.isSafeInteger(value)) throw new HistoryError('CONFIG_INVALID', `${key}: takes an integer`);
  return value as number;
}
