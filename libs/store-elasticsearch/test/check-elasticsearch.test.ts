import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@elastic/elasticsearch';
import type { Finding } from '@antelope-history/connectivity/check';
import { createIndexPrefix, describeWithService, type IndexPrefix } from '@antelope-history/servers';
import { elasticsearchChecks, readElasticsearchStatus } from '../src/check';
import { IndexNames } from '../src/indices/index-names';
import { openElasticsearchStoreWriter, type ElasticsearchOptions } from '../src/writer';

const CHAIN = 'c5'.repeat(32);
const TIME_LIMIT_MS = 5_000;

const DEFAULTS: ElasticsearchOptions = {
  urls: [],
  indexPrefix: 'history',
  blocksPerIndex: 1000,
  actionsPerIndex: 1_000_000,
  retainBlocks: 0,
  replicas: 0,
  bulkBytes: 1024 * 1024,
  bulkConcurrency: 2,
  commitSeconds: 1,
  requestTimeoutSeconds: 30,
};

interface Asked extends Partial<ElasticsearchOptions> {
  access?: 'read' | 'write';
  chainId?: string;
  /** How far the clock of this machine is ahead. */
  aheadMs?: number;
}

const checksOf = ({ access = 'write', chainId, aheadMs = 0, ...options }: Asked) =>
  elasticsearchChecks({ options: { ...DEFAULTS, ...options }, access, chainId, now: () => Date.now() + aheadMs });

/** The finding of each check by the last word of its name; a node's check is `node`. */
async function findingsOf(asked: Asked) {
  const findings: Record<string, Finding> = {};
  const wordOf = (name: string): string => (name.includes(':') ? 'node' : (name.split(' ')[1] ?? ''));
  for (const { name, needs, run } of checksOf(asked)) {
    if (needs.some((need) => !['ok', 'warning'].includes(findings[wordOf(need)]?.outcome ?? ''))) continue;
    findings[wordOf(name)] = await run(AbortSignal.timeout(TIME_LIMIT_MS));
  }
  return findings;
}

const idsOf = (findings: Record<string, Finding>) =>
  Object.fromEntries(Object.entries(findings).map(([name, { outcome, id }]) => [name, `${outcome} ${id}`]));

describeWithService(['elasticsearch'], (url) => {
  describe('checks of Elasticsearch', () => {
    let indices: IndexPrefix;
    let client: Client;
    let at: { urls: string[]; indexPrefix: string };
    beforeAll(() => (client = new Client({ node: url })));
    beforeEach(() => {
      indices = createIndexPrefix(url);
      at = { urls: [url], indexPrefix: indices.prefix };
    });
    afterEach(() => indices.remove());
    afterAll(() => client.close());

    async function makeStore(options: Partial<ElasticsearchOptions> = {}): Promise<void> {
      const store = await openElasticsearchStoreWriter({ ...DEFAULTS, ...at, ...options });
      await store.setChainId(CHAIN);
      await store.close();
    }

    it('accept an empty cluster and write nothing', async () => {
      expect(idsOf(await findingsOf(at))).toEqual({
        node: 'ok elasticsearch.answers',
        privileges: 'ok elasticsearch.no_security',
        cluster: 'ok elasticsearch.cluster',
        blocks: 'ok elasticsearch.blocks',
        templates: 'ok elasticsearch.templates',
        indices: 'ok elasticsearch.indices',
        data: 'ok elasticsearch.empty',
        clock: 'ok elasticsearch.clock',
      });
      expect(await client.indices.get({ index: `${indices.prefix}*` })).toEqual({});
      expect(await readElasticsearchStatus({ ...DEFAULTS, ...at })).toBeUndefined();
    });

    it('report a tier that no node has', async () => {
      const { tiers } = await findingsOf({ ...at, tiers: ['0:hot', '100:warm'] });
      expect(tiers).toMatchObject({ outcome: 'warning', id: 'elasticsearch.tier_without_node' });
      expect(tiers?.what).toContain('node.attr.history_tier: hot or warm');
      expect((await findingsOf(at))['tiers']).toBeUndefined();
    });

    it('accept valid data, and report another chain, format or range', async () => {
      await makeStore();
      expect((await findingsOf({ ...at, chainId: CHAIN }))['data']?.id).toBe('elasticsearch.data');
      expect((await readElasticsearchStatus({ ...DEFAULTS, ...at }))?.chainId).toBe(CHAIN);
      const { data: other } = await findingsOf({ ...at, chainId: 'ab'.repeat(32), access: 'read' });
      expect(other).toMatchObject({ outcome: 'wrong', id: 'elasticsearch.chain_id_mismatch' });
      const { data: range } = await findingsOf({ ...at, blocksPerIndex: 7 });
      expect(range).toMatchObject({ outcome: 'warning', id: 'elasticsearch.blocks_per_index_fixed' });
      const index = `${indices.prefix}-progress`;
      await client.update({ index, id: 'progress', doc: { format_version: 99 } });
      const { data: format } = await findingsOf(at);
      expect(format).toMatchObject({ outcome: 'wrong', id: 'elasticsearch.wrong_format' });
    });

    it('report an index template that matches our names, by patterns and priority', async () => {
      const name = `${indices.prefix}-foreign`;
      const put = (priority: number, pattern: string) =>
        client.indices.putIndexTemplate({ name, index_patterns: [pattern], priority });
      await put(499, `${indices.prefix}-*`);
      expect((await findingsOf(at))['templates']?.id).toBe('elasticsearch.templates');
      await put(501, `${indices.prefix}-other-*`);
      expect((await findingsOf(at))['templates']?.id).toBe('elasticsearch.templates');
      await put(501, `${indices.prefix}-act*`);
      const { templates } = await findingsOf(at);
      expect(templates).toMatchObject({ outcome: 'wrong', id: 'elasticsearch.template_overridden' });
      expect(templates?.what).toContain(name);
    });

    it('report a foreign index', async () => {
      await client.indices.create({ index: `${indices.prefix}-journal` });
      const { indices: finding } = await findingsOf({ ...at, access: 'read' });
      expect(finding).toMatchObject({ outcome: 'wrong', id: 'elasticsearch.index_foreign' });
      expect(finding?.what).toContain(`${indices.prefix}-journal`);
    });

    it('report a write block set by a full disk, and one set by an operator', async () => {
      await makeStore();
      const index = `${indices.prefix}-journal`;
      await client.indices.putSettings({ index, settings: { 'index.blocks.read_only_allow_delete': true } });
      const { blocks } = await findingsOf(at);
      expect(blocks).toMatchObject({ outcome: 'wrong', id: 'elasticsearch.flood_stage' });
      expect(blocks?.what).toContain(index);
      await client.indices.putSettings({
        index,
        settings: { 'index.blocks.read_only_allow_delete': null, 'index.blocks.write': true },
      });
      expect((await findingsOf(at))['blocks']).toMatchObject({ outcome: 'wrong', id: 'elasticsearch.read_only' });
      await client.indices.putSettings({ index, settings: { 'index.blocks.write': null } });
      expect((await findingsOf(at))['blocks']?.id).toBe('elasticsearch.blocks');
    });

    it('report what a restore that did not end has left, which nobody may open', async () => {
      await makeStore();
      const index = new IndexNames(indices.prefix).pattern;
      const settings = { 'index.blocks.read': true, 'index.blocks.write': true };
      await client.indices.putSettings({ index, settings, allow_no_indices: true });
      const check = checksOf(at).find(({ name }) => name === 'elasticsearch blocks');
      const finding = await check?.run(AbortSignal.timeout(TIME_LIMIT_MS));
      expect(finding).toMatchObject({ outcome: 'wrong', id: 'elasticsearch.restore_unfinished' });
      expect(finding).toMatchObject({ change: expect.stringContaining(`delete the indices ${index}`) });
    });

    it('report missing copies and unassigned shards', async () => {
      await makeStore({ replicas: 1 });
      const { cluster } = await findingsOf(at);
      expect(cluster).toMatchObject({ outcome: 'warning', id: 'elasticsearch.cluster_yellow' });
      // No node has this name.
      const settings = { 'index.routing.allocation.require._name': 'nobody' };
      await client.indices.create({ index: `${indices.prefix}-blocks-lost`, settings, wait_for_active_shards: 0 });
      const { cluster: red } = await findingsOf(at);
      expect(red).toMatchObject({ outcome: 'wrong', id: 'elasticsearch.cluster_red' });
      expect(red?.what).toContain(`${indices.prefix}-blocks-lost`);
    });

    it('report nothing of a store whose prefix begins with its own', async () => {
      await makeStore();
      const index = `${indices.prefix}-test-blocks-0000000000`;
      const settings = { 'index.routing.allocation.require._name': 'nobody', 'index.blocks.write': true };
      await client.indices.create({ index, settings, wait_for_active_shards: 0 });
      const findings = await findingsOf(at);
      expect(['cluster', 'blocks', 'indices'].map((each) => findings[each]?.outcome)).toEqual(['ok', 'ok', 'ok']);
    });

    it('report a clock difference', async () => {
      const { clock } = await findingsOf({ ...at, aheadMs: -60_000 });
      expect(clock).toMatchObject({ outcome: 'wrong', id: 'elasticsearch.clocks_differ' });
    });
  });
});

describe('checks of an unsupported server', () => {
  /** The finding of the node's check. */
  const findNode = (url: string): Promise<Finding> | undefined =>
    checksOf({ urls: [url] })[0]?.run(AbortSignal.timeout(TIME_LIMIT_MS));

  async function findAt(handler: RequestListener): Promise<Finding | undefined> {
    const server = createServer(handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const finding = await findNode(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.closeAllConnections();
    server.close();
    return finding;
  }
  const product = { 'x-elastic-product': 'Elasticsearch', 'content-type': 'application/json' };
  const ofVersion =
    (version: string): RequestListener =>
    (_request, response) =>
      response.writeHead(200, product).end(JSON.stringify({ nodes: { one: { version } } }));

  it('report a version that is too old, and one that is unknown', async () => {
    expect(await findAt(ofVersion('7.17.29'))).toMatchObject({ outcome: 'wrong', id: 'elasticsearch.version_old' });
    expect((await findAt(ofVersion('9.2.0')))?.id).toBe('elasticsearch.answers');
    expect(await findAt(ofVersion('10.0.0'))).toMatchObject({ outcome: 'warning', id: 'elasticsearch.version_new' });
  });

  it('report another server, no server, an unknown host and a silent server', async () => {
    const other = await findAt((_request, response) => response.writeHead(404).end('nothing here'));
    expect(other).toMatchObject({ outcome: 'wrong', id: 'elasticsearch.other_server' });
    const ids = [];
    for (const url of ['http://127.0.0.1:1', 'http://no-such-host.invalid:9200']) {
      ids.push((await findNode(url))?.id);
    }
    expect(ids).toEqual(['elasticsearch.refused', 'elasticsearch.unknown_host']);
    expect((await findAt(() => undefined))?.id).toBe('elasticsearch.no_answer');
  });
});
