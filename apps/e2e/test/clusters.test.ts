import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Suite, startIndexedService, startSuite } from '@antelope-history/processes';
import { ROUTES } from '@antelope-history/routes';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import { type ClusterNode, describeLong, describeWithPrograms, describeWithService } from '@antelope-history/servers';
import { openSample, readUsedAccounts, sampleFolder } from '@antelope-history/test-support/recordings';
import { CheckedClient } from '../src';
import { type ClusterSet, startClusterSet } from './cluster-set';

const SAMPLE = 'leap-edge';
/** The time in which the blocks that the node has sent spread over the stages. */
const SPREAD_MS = 700;
const START_LIMIT_MS = 900_000;
const TEST_LIMIT_MS = 600_000;
/** Until then a cluster that has lost a node must respond again. */
const OUTAGE_LIMIT_MS = 60_000;
const POLL_MS = 250;

/** A request and its response by a service with the embedded store, which no fault concerned. */
interface Case {
  path: string;
  body: object;
  expected: string;
}

describeLong('it starts three nodes of Elasticsearch and three of RabbitMQ, which takes minutes', () =>
  describeWithService(['redis'], (redis) =>
    describeWithPrograms(['java', 'rabbitmq-server'], () =>
      describe('a suite on clusters of three nodes', () => describeClusters(redis)),
    ),
  ),
);

function describeClusters(redis: string): void {
  const blocks = openSample(SAMPLE).messages.flatMap(({ thisBlock }) => thisBlock ?? []);
  const lastBlock = blocks.at(-1) ?? { num: 0, id: '' };
  const logFolder = mkdtempSync(path.join(tmpdir(), 'antelope-history-clusters-'));
  let set: ClusterSet;
  let replay: ShipReplay;
  let suite: Suite;
  const endings: (() => Promise<unknown>)[] = [];
  let cases: Case[];

  beforeAll(async () => {
    cases = await readExpected();
    replay = await createShipReplay({ recording: sampleFolder(SAMPLE), pace: 'manual' });
    endings.push(() => replay.close());
    set = await startClusterSet(redis);
    endings.push(() => set.remove());
    const environment = { HISTORY_SHIP__SILENCE_SECONDS: '0' };
    suite = await startSuite({ shipUrl: replay.url, set, logFolder, environment, deserializers: 2, indexers: 2 });
    endings.push(() => suite.stop());
  }, START_LIMIT_MS);

  afterAll(async () => {
    for (const end of endings.reverse()) await end();
    rmSync(logFolder, { recursive: true, force: true });
  }, TEST_LIMIT_MS);

  it(
    'indexes everything, and reads nothing again, while a node of each is lost with its data',
    async () => {
      const third = Math.ceil(replay.stats.length / 3);
      replay.advance(third);
      await untilCommitted(replay.stats.headBlockNum);
      const [leader, master] = [await findLeader(), await findMaster()];
      replay.advance(third);
      await sleep(SPREAD_MS);
      await leader.lose();
      replay.advance(third);
      await sleep(SPREAD_MS);
      await master.lose();
      await suite.untilCommitted(lastBlock);
      expect(await differences()).toEqual([]);
      // The blocks of lost messages would have been requested again.
      expect(await metricOf('reader', 'history_refetches_total')).toBe(0);
    },
    TEST_LIMIT_MS,
  );

  it(
    'has three copies of everything again after what docs/rabbitmq.md says',
    async () => {
      for (const { name } of set.rabbitmq.nodes.filter(({ isUp }) => !isUp)) {
        await runningNode().command('rabbitmqctl', 'forget_cluster_node', name);
      }
      const added = await set.rabbitmq.add();
      await set.elasticsearch.add();
      await runningNode().command('rabbitmq-queues', 'grow', added.name, 'all');
      const queues = await listQueues();
      expect(queues.length).toBeGreaterThan(0);
      for (const { members, online } of queues) expect([members.length, online.length]).toEqual([3, 3]);
      await untilGreen();
    },
    TEST_LIMIT_MS,
  );

  it(
    'responds right, or with 503, while another node of each is lost, and right soon after',
    async () => {
      const client = new CheckedClient(suite.url);
      const outcomes: { at: number; status: number; isRight: boolean }[] = [];
      const ending = new AbortController();
      const asking = (async () => {
        for (let next = 0; !ending.signal.aborted; next++) {
          const { path: at, body, expected } = cases[next % cases.length] as Case;
          const { status, text } = await client.post(at, body);
          outcomes.push({ at: Date.now(), status, isRight: status === 503 || text === expected });
        }
      })();
      const [leader, master] = [await findLeader(), await findMaster()];
      const lostAt = Date.now();
      await Promise.all([leader.lose(), master.lose()]);
      await sleep(OUTAGE_LIMIT_MS);
      ending.abort();
      await asking;
      const refused = outcomes.filter(({ status }) => status === 503);
      const lastRefused = Math.max(0, ...refused.map(({ at }) => at - lostAt));
      say(`${outcomes.length} responses, ${refused.length} of them 503, the last ${lastRefused} ms after the loss`);
      expect(outcomes.filter(({ isRight }) => !isRight)).toEqual([]);
      expect(lastRefused).toBeLessThan(OUTAGE_LIMIT_MS / 2);
      expect(await differences()).toEqual([]);
    },
    TEST_LIMIT_MS,
  );

  async function readExpected(): Promise<Case[]> {
    const reference = await startIndexedService(sampleFolder(SAMPLE), { HISTORY_SHIP__SILENCE_SECONDS: '0' });
    try {
      const client = new CheckedClient(reference.url);
      const { getActions, getControlledAccounts, getChainBlock, getTraceBlock } = ROUTES;
      const requests = [
        ...readUsedAccounts(sampleFolder(SAMPLE)).names.flatMap((account) => [
          { path: getActions.path, body: { account_name: account, offset: 1_000 } },
          { path: getControlledAccounts.path, body: { controlling_account: account } },
        ]),
        ...blocks.flatMap(({ num }) => [
          { path: getChainBlock.path, body: { block_num_or_id: num } },
          { path: getTraceBlock.path, body: { block_num: num } },
        ]),
      ];
      const answered: Case[] = [];
      for (const { path: at, body } of requests) {
        answered.push({ path: at, body, expected: (await client.post(at, body)).text });
      }
      return answered;
    } finally {
      await reference.stop();
    }
  }

  /** The requests that are not answered as the embedded store answers them. */
  async function differences(): Promise<object[]> {
    const client = new CheckedClient(suite.url);
    const different: object[] = [];
    for (const { path: at, body, expected } of cases) {
      if ((await client.post(at, body)).text !== expected) different.push({ at, body });
    }
    return different;
  }

  async function untilCommitted(block: number): Promise<void> {
    while ((await suite.figures()).committedBlock < block) await sleep(POLL_MS);
  }

  async function metricOf(app: string, name: string): Promise<number> {
    const { operationsUrl = '' } = suite.apps.find((each) => each.app === app) ?? {};
    const text = await (await fetch(`${operationsUrl}/metrics`)).text();
    return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'm').exec(text)?.[1]);
  }

  function runningNode() {
    const [node] = set.rabbitmq.nodes.filter(({ isUp }) => isUp);
    if (!node) throw new Error('no node of RabbitMQ runs');
    return node;
  }

  async function listQueues(): Promise<{ name: string; leader: string; members: string[]; online: string[] }[]> {
    const columns = ['name', 'leader', 'members', 'online', '--formatter', 'json'];
    const { vhost } = set.rabbitmq.user;
    return JSON.parse(await runningNode().command('rabbitmqctl', 'list_queues', '--vhost', vhost, ...columns));
  }

  /** The node of RabbitMQ that leads the queue of raw blocks. */
  async function findLeader(): Promise<ClusterNode> {
    const leader = (await listQueues()).find(({ name }) => name === 'raw-blocks')?.leader;
    const node = set.rabbitmq.nodes.find(({ name }) => name === leader);
    if (!node) throw new Error('the queue of raw blocks has no leader');
    return node;
  }

  /** The elected master of Elasticsearch. */
  async function findMaster(): Promise<ClusterNode> {
    const name = (await askElasticsearch('_cat/master?h=node')).trim();
    const node = set.elasticsearch.nodes.find((each) => each.name === name);
    if (!node) throw new Error(`${name} is no node of the cluster`);
    return node;
  }

  async function untilGreen(): Promise<void> {
    for (const limit = Date.now() + TEST_LIMIT_MS; Date.now() < limit;) {
      const health = await askElasticsearch('_cluster/health?wait_for_status=green&timeout=10s').catch(() => '{}');
      if ((JSON.parse(health) as { status?: string }).status === 'green') return;
      await sleep(POLL_MS);
    }
    throw new Error('Elasticsearch does not allocate all replicas');
  }

  async function askElasticsearch(request: string): Promise<string> {
    for (const { url } of set.elasticsearch.nodes) {
      const response = await fetch(`${url}/${request}`).catch(() => undefined);
      if (response) return response.text();
    }
    throw new Error('no node of Elasticsearch responds');
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
