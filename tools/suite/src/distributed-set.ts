import { QuickStartError } from '@antelope-history/quick-start';
import {
  createFreshName,
  createIndexPrefix,
  createKeyPrefix,
  createVhost,
  SERVICE_NAMES,
  type ServiceName,
  type Services,
  type Vhost,
} from '@antelope-history/services';

/** Names of one's own on the three servers, where a suite keeps everything. */
export interface DistributedSet {
  /** The servers' URLs. */
  servers: Map<ServiceName, string>;
  /** Of the virtual host; names of indices and keys begin with it. */
  name: string;
  /** Configures an app to use it, by the part of the configuration. */
  environment: Record<'store' | 'broker' | 'keyValue', Record<string, string>>;
  /** What servers do to those who rely on them. */
  faults: Pick<Vhost, 'cutConnections' | 'loseMessages'> & {
    /** All that the key-value store keeps is gone, as after FLUSHALL. */
    forgetKeys(): Promise<void>;
  };
  /** Removes all that was kept. */
  remove(): Promise<void>;
}

/** Rejects when a server is missing, and says why. */
export async function createDistributedSet({ available, missing }: Services): Promise<DistributedSet> {
  const urlOf = (name: ServiceName): string => {
    const url = available.get(name)?.url;
    if (url === undefined) throw new QuickStartError(`No ${name}: ${missing.get(name) ?? 'it was not asked for'}`);
    return url;
  };
  const [elasticsearch, rabbitmq, redis] = SERVICE_NAMES.map(urlOf) as [string, string, string];
  const name = createFreshName('suite');
  const indices = createIndexPrefix(elasticsearch, name);
  const keys = createKeyPrefix(redis, name);
  const vhost = await createVhost(rabbitmq, { name, ctl: available.get('rabbitmq')?.rabbitmqctl });
  return {
    servers: new Map(SERVICE_NAMES.map((name) => [name, urlOf(name)])),
    name,
    environment: {
      store: {
        HISTORY_STORE__KIND: 'elasticsearch',
        HISTORY_STORE__ELASTICSEARCH__URLS: indices.url,
        HISTORY_STORE__ELASTICSEARCH__INDEX_PREFIX: indices.prefix,
        // There is one server: copies of an index would have no place.
        HISTORY_STORE__ELASTICSEARCH__REPLICAS: '0',
      },
      broker: {
        HISTORY_BROKER__KIND: 'rabbitmq',
        HISTORY_BROKER__RABBITMQ__URL: vhost.url,
        HISTORY_BROKER__RABBITMQ__VHOST: vhost.vhost,
        HISTORY_BROKER__RABBITMQ__USERNAME: vhost.username,
        HISTORY_BROKER__RABBITMQ__PASSWORD: vhost.password,
      },
      keyValue: {
        HISTORY_KEY_VALUE__KIND: 'redis',
        HISTORY_KEY_VALUE__REDIS__URL: keys.url,
        HISTORY_KEY_VALUE__REDIS__KEY_PREFIX: keys.prefix,
      },
    },
    faults: {
      cutConnections: () => vhost.cutConnections(),
      loseMessages: (queue) => vhost.loseMessages(queue),
      forgetKeys: () => keys.remove(),
    },
    async remove() {
      await Promise.all([indices.remove(), keys.remove(), vhost.remove()]);
    },
  };
}
