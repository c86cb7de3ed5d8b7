import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@antelope-history/test-support/random';
import { type ElasticsearchMode, ElasticsearchProxy } from './elasticsearch-proxy';
import type { Fault } from './fault';
import { LONG_MS } from './process-faults';
import { SocketProxy } from './socket-proxy';

/** The URLs of the servers of the distributed set. */
export interface ServerUrls {
  elasticsearch: URL;
  rabbitmq: URL;
  redis: URL;
}

const MODES: ElasticsearchMode[] = [
  'refusing',
  'read-only',
  'slow',
  'failing items',
  'failing refreshes',
  'losing responses',
];

/** The proxies in front of the servers of the distributed set. */
export class ServerProxies {
  private constructor(
    /** Reads the requests to Elasticsearch; behind `sockets.elasticsearch`. */
    readonly documents: ElasticsearchProxy,
    readonly sockets: Readonly<Record<keyof ServerUrls, SocketProxy>>,
  ) {}

  static async open({ elasticsearch, rabbitmq, redis }: ServerUrls, random: Random): Promise<ServerProxies> {
    const documents = new ElasticsearchProxy(elasticsearch, random);
    const sockets = {
      elasticsearch: new SocketProxy({ host: '127.0.0.1', port: Number(new URL(await documents.listen()).port) }),
      rabbitmq: new SocketProxy({ host: rabbitmq.hostname, port: Number(rabbitmq.port || 5672) }),
      redis: new SocketProxy({ host: redis.hostname, port: Number(redis.port || 6379) }),
    };
    for (const socket of Object.values(sockets)) await socket.listen();
    return new ServerProxies(documents, sockets);
  }

  /** What can happen to the servers and to the connections to them. */
  faults(): Fault[] {
    return [
      ...Object.entries(this.sockets).flatMap(([name, socket]) => socketFaults(name, socket)),
      ...MODES.map((mode) => elasticsearchFault(mode, this.documents)),
    ];
  }

  /** Ends what a fault may have left. */
  calm(): void {
    this.documents.mode = 'as it is';
    for (const socket of Object.values(this.sockets)) {
      socket.admit();
      socket.thaw();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...Object.values(this.sockets), this.documents].map((proxy) => proxy.close()));
  }
}

function socketFaults(name: string, socket: SocketProxy): Fault[] {
  return [
    {
      name: `${name} connections cut`,
      strike: async (random) => {
        socket.cutAfter(random(20_000));
        await sleep(random(200));
      },
    },
    {
      name: `${name} frozen`,
      strike: async (random) => {
        socket.freeze();
        await sleep(random(LONG_MS));
        socket.thaw();
      },
    },
    {
      name: `${name} down`,
      strike: async (random) => {
        socket.refuse();
        await sleep(random(LONG_MS));
        socket.admit();
      },
    },
  ];
}

function elasticsearchFault(mode: ElasticsearchMode, proxy: ElasticsearchProxy): Fault {
  return {
    name: `elasticsearch ${mode}`,
    strike: async (random) => {
      proxy.mode = mode;
      await sleep(500 + random(4_000));
      proxy.mode = 'as it is';
    },
  };
}
