import { rabbitmqChecks } from '@antelope-history/broker-rabbitmq';
import { ok, wrong, type Check, type Finding } from '@antelope-history/connections';
import { redisChecks } from '@antelope-history/key-value-redis';
import { shipChecks } from '@antelope-history/reader-stage';
import { createLogger, type Config } from '@antelope-history/service';
import { elasticsearchChecks } from '@antelope-history/store-elasticsearch/check';
import { lmdbChecks } from '@antelope-history/store-lmdb/check';
import { appsFor, needsOf, type AppName } from './app-needs';
import { apiChecks } from './check-apis';
import { portChecks } from './check-ports';
import { readStoredChain } from './stored-chain';

/** Everything to check for an app, in the order in which it is shown: as a block goes, then as a request does. */
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
      return lmdbChecks({ path: store.path, access, chainId });
    case 'elasticsearch':
      return elasticsearchChecks({ options: store.elasticsearch, access, chainId, now });
  }
}

/** Whether the apps can work together by it. */
function checkConfiguration(apps: AppName[], { broker, keyValue }: Config): Finding {
  const apart = apps.filter((app) => app !== 'standalone');
  const overBroker = apart.filter((app) => needsOf([app]).broker);
  if (broker.kind === 'memory' && overBroker.length > 0) {
    return wrong(
      'configuration.memory_broker',
      `broker.kind is memory, which carries nothing to other processes, and ${overBroker.join(', ')} work with others`,
      'set broker.kind to rabbitmq, or run the app standalone',
    );
  }
  const sharing = apart.filter((app) => app === 'reader' || app === 'indexer');
  if (keyValue.kind === 'memory' && sharing.length > 0) {
    return wrong(
      'configuration.memory_key_value',
      'key_value.kind is memory, which no other process sees, and the indexer tells the reader its progress there',
      'set key_value.kind to redis, or run the app standalone',
    );
  }
  return ok('configuration.valid', `it is valid; checked is what is needed by ${apps.join(', ')}`);
}

/** Addresses at which this configuration starts APIs, as the gateway may name them. */
function startedHere(apps: AppName[], { historyApi, chainApi, traceApi }: Config): string[] {
  const ports = { 'history-api': historyApi.port, 'chain-api': chainApi.port, 'trace-api': traceApi.port };
  return Object.entries(ports)
    .filter(([app]) => apps.some((name) => name === app))
    .flatMap(([, port]) => ['127.0.0.1', 'localhost', '[::1]'].map((host) => `${host}:${port}`));
}
