import {
  type Cluster,
  createFreshName,
  createKeyPrefix,
  type ElasticsearchNode,
  type RabbitmqCluster,
  startElasticsearchCluster,
  startRabbitmqCluster,
} from '@antelope-history/servers';
import type { DistributedSet } from '@antelope-history/processes';

/** A distributed set on a cluster of three RabbitMQ nodes, one of three Elasticsearch nodes, and a Redis server. */
export interface ClusterSet extends DistributedSet {
  rabbitmq: RabbitmqCluster;
  elasticsearch: Cluster<ElasticsearchNode>;
}

const NODES = 3;

/** Starts both clusters; `remove` stops them and removes their data. Takes minutes on a machine with two processors. */
export async function startClusterSet(redisUrl: string): Promise<ClusterSet> {
  const starting = await Promise.allSettled([startRabbitmqCluster(NODES), startElasticsearchCluster(NODES)]);
  const failure = starting.find((each) => each.status === 'rejected');
  if (failure) {
    await Promise.all(starting.map((each) => (each.status === 'fulfilled' ? each.value.stop() : Promise.resolve())));
    throw failure.reason;
  }
  const [rabbitmq, elasticsearch] = starting.map((each) => (each as PromiseFulfilledResult<unknown>).value) as [
    RabbitmqCluster,
    Cluster<ElasticsearchNode>,
  ];
  const name = createFreshName('cluster');
  const keys = createKeyPrefix(redisUrl, name);
  const urlsOf = ({ nodes }: Cluster): string => nodes.map(({ url }) => url).join();
  const first = (urls: string): string => urls.split(',')[0] ?? '';
  const { user } = rabbitmq;
  const unsupported = (): Promise<never> => Promise.reject(new Error('this set has no such fault'));
  return {
    rabbitmq,
    elasticsearch,
    name,
    servers: new Map([
      ['elasticsearch', first(urlsOf(elasticsearch))],
      ['rabbitmq', first(urlsOf(rabbitmq))],
      ['redis', redisUrl],
    ]),
    environment: {
      store: {
        HISTORY_STORE__KIND: 'elasticsearch',
        HISTORY_STORE__ELASTICSEARCH__URLS: urlsOf(elasticsearch),
        HISTORY_STORE__ELASTICSEARCH__INDEX_PREFIX: name,
      },
      broker: {
        HISTORY_BROKER__KIND: 'rabbitmq',
        HISTORY_BROKER__RABBITMQ__URL: urlsOf(rabbitmq),
        HISTORY_BROKER__RABBITMQ__VHOST: user.vhost,
        HISTORY_BROKER__RABBITMQ__USERNAME: user.username,
        HISTORY_BROKER__RABBITMQ__PASSWORD: user.password,
      },
      keyValue: {
        HISTORY_KEY_VALUE__KIND: 'redis',
        HISTORY_KEY_VALUE__REDIS__URL: keys.url,
        HISTORY_KEY_VALUE__REDIS__KEY_PREFIX: keys.prefix,
      },
    },
    faults: { cutConnections: unsupported, loseMessages: unsupported, forgetKeys: () => keys.remove() },
    async remove() {
      await Promise.all([rabbitmq.stop(), elasticsearch.stop(), keys.remove()]);
    },
  };
}
