import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROUTES } from '@antelope-history/routes';
import {
  createIndexPrefix,
  createKeyPrefix,
  createVhost,
  describeWithService,
  findFreePorts,
  type IndexPrefix,
  type KeyPrefix,
  type Vhost,
} from '@antelope-history/servers';
import { openSample, sampleFolder } from '@antelope-history/test-support/recordings';
import { API_NAMES, startReplay, stop } from '../src';
import { Machine } from './machine';

const SAMPLE = 'leap-edge';
const LIMIT_MS = 180_000;

describeWithService(['elasticsearch', 'rabbitmq', 'redis'], (elasticsearch, rabbitmq, redis) => {
  describe('an indexing side and an API side on two machines', () => {
    let indices: IndexPrefix;
    let keys: KeyPrefix;
    let vhost: Vhost;
    let indexing: Machine;
    let serving: Machine;

    beforeAll(async () => {
      indices = createIndexPrefix(elasticsearch);
      keys = createKeyPrefix(redis);
      vhost = await createVhost(rabbitmq);
      indexing = new Machine(1);
      serving = new Machine(2);
    });
    afterAll(async () => {
      await Promise.all([indexing.remove(), serving.remove()]);
      await Promise.all([indices.remove(), keys.remove(), vhost.remove()]);
    });

    /** The configuration that both sides need, with URLs that the machine reaches. */
    async function sharedSettings(machine: Machine) {
      return {
        store: {
          kind: 'elasticsearch',
          elasticsearch: { urls: [await machine.reach(indices.url)], index_prefix: indices.prefix, replicas: 0 },
        },
        key_value: { kind: 'redis', redis: { url: await machine.reach(keys.url), key_prefix: keys.prefix } },
      };
    }

    async function configureIndexing(shipUrl: string): Promise<void> {
      const { url, vhost: name, username, password } = vhost;
      const settings = {
        ship: { urls: [await indexing.reach(shipUrl)] },
        broker: {
          kind: 'rabbitmq',
          rabbitmq: { url: await indexing.reach(url), vhost: name, username, password_file: 'rabbitmq-password' },
        },
        ...(await sharedSettings(indexing)),
      };
      indexing.write('rabbitmq-password', password);
      indexing.write('config.json', JSON.stringify(settings));
    }

    async function configureServing(): Promise<void> {
      const settings = {
        ...(await sharedSettings(serving)),
        gateway: { host: serving.address, port: 0 },
        ...(serving.hasOwnNetwork ? {} : await freeApiPorts()),
      };
      serving.write('config.json', JSON.stringify(settings));
    }

    /** Without networks of their own, the default ports of the APIs may be in use. */
    async function freeApiPorts() {
      const [history = 0, chain = 0, trace = 0] = await findFreePorts(API_NAMES.length);
      return {
        history_api: { port: history },
        chain_api: { port: chain },
        trace_api: { port: trace },
        gateway: {
          host: serving.address,
          port: 0,
          history_api_url: `http://127.0.0.1:${history}`,
          chain_api_url: `http://127.0.0.1:${chain}`,
          trace_api_url: `http://127.0.0.1:${trace}`,
        },
      };
    }

    async function send(url: string, path: string, body: object): Promise<{ status: number; json: unknown }> {
      const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
      return { status: response.status, json: await response.json() };
    }

    it('serve the chain without shared files, with separate networks and only the configuration that each needs', async () => {
      const lastBlock = openSample(SAMPLE).messages.at(-1)?.thisBlock;
      const replay = await startReplay(sampleFolder(SAMPLE));
      try {
        await configureIndexing(replay.url);
        await configureServing();
        for (const app of ['indexer', 'deserializer', 'reader'] as const) await indexing.run(app);
        for (const app of API_NAMES) await serving.run(app);
        const url = await serving.run('gateway');
        const { path } = ROUTES.getChainBlock;
        const limit = Date.now() + LIMIT_MS;
        const readLast = () => send(url, path, { block_num_or_id: lastBlock?.num });
        while ((await readLast()).status !== 200 && Date.now() < limit) await sleep(100);
        expect((await readLast()).json).toMatchObject({ id: lastBlock?.id });
        const actions = await send(url, ROUTES.getActions.path, { account_name: 'alice' });
        expect(actions).toMatchObject({ status: 200, json: { head_block_num: lastBlock?.num } });
        expect((actions.json as { actions: unknown[] }).actions).not.toHaveLength(0);
      } finally {
        await stop(replay.child);
      }
      expect(readdirSync(indexing.folder).sort()).toEqual(['config.json', 'rabbitmq-password']);
      expect(readdirSync(serving.folder)).toEqual(['config.json']);
    }, 120_000);

    it('stop on SIGTERM', async () => {
      expect(await Promise.all([serving.stop(), indexing.stop()])).toEqual([
        [0, 0, 0, 0],
        [0, 0, 0],
      ]);
    }, 30_000);
  });
});
