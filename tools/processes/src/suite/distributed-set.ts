import {
  createFreshName,
  createIndexPrefix,
  createKeyPrefix,
  createVhost,
  SERVICE_NAMES,
  type ServiceName,
  type Services,
  type Vhost,
} from '@antelope-history/servers';
import { StartError } from '../start-error';

/** Fresh names on the three servers of the distributed set. A suite keeps all its data below them. */
export interface DistributedSet {
  /** The servers' URLs. */
  servers: Map<ServiceName, string>;
  /** Name of the virtual host; names of indices and keys begin with it. */
  name: string;
  /** Configuration of an app, by the port that it uses. */
  environment: Record<'store' | 'broker' | 'keyValue', Record<string, string>>;
  /** Faults of the servers that a test causes. */
  faults: Pick<Vhost, 'cutConnections' | 'loseMessages'> & {
    /** Removes all keys of the suite from the key-value store, as FLUSHALL does. */
    forgetKeys(): Promise<void>;
  };
  /** Removes all data below the names. */
  remove(): Promise<void>;
}

/** Rejects with a `StartError` when a server is missing. */
export async function createDistributedSet({ available, missing }: Services): Promise<DistributedSet> {
  const urlOf = (name: ServiceName): string => {
    const url = available.get(name)?.url;
    if (url === undefined) throw new StartError(`No ${name}: ${missing.get(name) ?? 'it was not asked for'}`);
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
        // One server cannot allocate replicas.
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
