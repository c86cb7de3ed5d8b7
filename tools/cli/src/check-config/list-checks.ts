import { rabbitmqChecks } from '@antelope-history/broker-rabbitmq/check';
import { type Check, type Finding, ok, wrong } from '@antelope-history/connectivity/check';
import { redisChecks } from '@antelope-history/key-value-redis';
import { shipChecks } from '@antelope-history/reader-stage/check';
import { type Config, createLogger } from '@antelope-history/app-runtime';
import { elasticsearchChecks } from '@antelope-history/store-elasticsearch/check';
import { lmdbChecks, lmdbRoomCheck } from '@antelope-history/store-lmdb/check';
import { type AppName, appsFor, needsOf } from './app-needs';
import { apiChecks } from './check-apis';
import { portChecks } from './check-ports';
import { readStoredChain } from './stored-chain';

/**
 * The checks for an app, in the order of the output: the path of a block, then the path of a request. `config` has the sections
 * that `sectionsOf(app)` lists.
 */
export function listChecks(config: Config, app: AppName | 'all', now: () => number): Check[] {
  const apps = appsFor(app, config);
  const needs = needsOf(apps);
  const silent = createLogger('check-config', 'silent');
  const readStored = () => readStoredChain(config, needs, silent);
  const { broker, keyValue } = config;
  return [
    { name: 'configuration', needs: [], run: async () => checkConfiguration(apps, config) },
    ...(needs.ship ? shipChecks({ config, readStored, now }) : []),
    ...(needs.broker && broker.kind === 'rabbitmq' ? rabbitmqChecks(broker.rabbitmq) : []),
    ...(needs.keyValue && keyValue.kind === 'redis' ? redisChecks(keyValue.redis, now) : []),
    ...(needs.store === 'none' ? [] : storeChecks(config, needs.store, now)),
    ...(needs.apis ? apiChecks({ config, startedHere: startedHere(apps, config), now }) : []),
    ...portChecks(config, needs.listens),
  ];
}

function storeChecks({ store, chainId }: Config, access: 'read' | 'write', now: () => number): Check[] {
  switch (store.kind) {
    case 'lmdb':
      return [
        ...lmdbChecks({ path: store.lmdb.path, access, chainId }),
        ...(access === 'write' ? [lmdbRoomCheck(store.lmdb)] : []),
      ];
    case 'elasticsearch':
      return elasticsearchChecks({ options: store.elasticsearch, access, chainId, now });
  }
}

/** Checks whether the apps can work together with this configuration. */
function checkConfiguration(apps: AppName[], { broker, keyValue }: Config): Finding {
  const apart = apps.filter((app) => app !== 'standalone');
  const overBroker = apart.filter((app) => needsOf([app]).broker);
  if (broker.kind === 'memory' && overBroker.length > 0) {
    const exchange = overBroker.length === 1 ? 'exchanges' : 'exchange';
    return wrong(
      'configuration.memory_broker',
      `broker.kind is memory, which no other process can use, and ${overBroker.join(', ')} ${exchange} blocks with other processes`,
      'set broker.kind to rabbitmq, or run the app standalone',
    );
  }
  const sharing = apart.filter((app) => app === 'reader' || app === 'indexer');
  if (keyValue.kind === 'memory' && sharing.length > 0) {
    return wrong(
      'configuration.memory_key_value',
      'key_value.kind is memory, which no other process can use, and the indexer publishes its progress for the reader there',
      'set key_value.kind to redis, or run the app standalone',
    );
  }
  return ok('configuration.valid', `it is valid; the checks cover ${apps.join(', ')}`);
}

/** The `host:port` of the APIs that this configuration starts, in each form that the gateway's URLs can have. */
function startedHere(apps: AppName[], { historyApi, chainApi, traceApi }: Config): string[] {
  const ports = { 'history-api': historyApi.port, 'chain-api': chainApi.port, 'trace-api': traceApi.port };
  return Object.entries(ports)
    .filter(([app]) => apps.some((name) => name === app))
    .flatMap(([, port]) => ['127.0.0.1', 'localhost', '[::1]'].map((host) => `${host}:${port}`));
}
