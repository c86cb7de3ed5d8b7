import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import request from 'supertest';
import { CHAIN_ROUTES, nodeInfo } from '@antelope-history/chain-routes';
import {
  ApiClient,
  blockAt,
  createApiDeps,
  openSampleReader,
  readRecordedChain,
  type SampleReader,
} from '@antelope-history/endpoint-testing';
import { HistoryError } from '@antelope-history/schemas';
import type { ChainStatus } from '@antelope-history/store';
import { readAuthorizers, sampleFolder } from '@antelope-history/test-support/recordings';
import { createChainApi } from '../src';

const client = new ApiClient(CHAIN_ROUTES);
const route = CHAIN_ROUTES.getInfo;
const OTHER_CHAIN = 'ff'.repeat(32);
const NODE_FIELDS = new Set(Object.keys(nodeInfo.shape));

/** The first request of a process takes much longer than the next ones. */
beforeAll(() => fetch('http://127.0.0.1:1').catch(() => undefined));

/** A reader with another status that shares the blocks of a sample. */
function withStatus(reader: SampleReader, status: Partial<ChainStatus>): SampleReader {
  return Object.assign(Object.create(reader) as SampleReader, { status: { ...reader.status, ...status } });
}

/** The state in which the node was when it responded: its head was up to one block lower than the last recorded one. */
function readerAtResponse(name: 'leap-edge' | 'leap-forks' | 'leap-snapshot' | 'spring-savanna') {
  const { info, chainId, head, lastIrreversible } = readAuthorizers(sampleFolder(name));
  const reader = withStatus(openSampleReader(name), { chainId, committed: head, lastIrreversible });
  return { info, reader };
}

describe.each(['leap-edge', 'leap-forks', 'leap-snapshot', 'spring-savanna'] as const)('get_info of %s', (name) => {
  const { info, reader } = readerAtResponse(name);
  const ofChain = Object.fromEntries(Object.entries(info).filter(([field]) => !NODE_FIELDS.has(field)));

  it('is the node’s own response without the fields that only a node knows', async () => {
    const response = await client.post(createChainApi(createApiDeps(reader)), route, {});
    expect(response.text).toBe(JSON.stringify(ofChain));
    expect(response.headers['cache-control']).toBeUndefined();
  });

  it('is the node’s own response when that node is configured', async () => {
    const node = await NodeStandIn.open((_request, response) => response.end(JSON.stringify(info)));
    const app = createChainApi({ ...createApiDeps(reader), chainNodeUrls: [node.url] });
    expect((await client.post(app, route, {})).text).toBe(JSON.stringify(info));
    node.close();
  });
});

describe('get_info', () => {
  const sample = openSampleReader('leap-edge');
  const ask = (reader: SampleReader, chainNodeUrls: string[] = []) =>
    client.post(createChainApi({ ...createApiDeps(reader), chainNodeUrls }), route, {});

  it('takes GET and HEAD, an empty body, and a body without fields', async () => {
    const app = createChainApi(createApiDeps(sample));
    const { text } = await ask(sample);
    expect((await request(app).get(route.path)).text).toBe(text);
    expect((await request(app).post(route.path)).text).toBe(text);
    expect((await request(app).head(route.path)).status).toBe(200);
    const refused = await request(app).put(route.path);
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
    expect((await client.refusalOf(app, route, '[]')).name).toBe('invalid_http_request');
  });

  it('never reports a last irreversible block above the committed head', async () => {
    const chain = readRecordedChain('leap-edge');
    const { position } = blockAt(chain, 200);
    const lastIrreversible = { num: 458, id: '0'.repeat(64) };
    const { body } = await ask(withStatus(sample, { committed: position, lastIrreversible }));
    expect(body).toMatchObject({
      head_block_num: 200,
      last_irreversible_block_num: 200,
      last_irreversible_block_id: position.id,
      head_block_id: position.id,
      last_irreversible_block_time: body.head_block_time,
    });
  });

  it('omits the time of a last irreversible block that is not indexed, and the id of an unknown chain', async () => {
    const { body } = await ask(withStatus(sample, { lastIrreversible: { num: 1, id: 'ab'.repeat(32) } }));
    expect(body.last_irreversible_block_id).toBe('ab'.repeat(32));
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['last_irreversible_block_time']));
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['chain_id']));
  });

  it('is of one state when a fork replaces the head between its reads', async () => {
    const chain = readRecordedChain('leap-edge');
    const orphan = { num: 505, id: `000001f9${'ab'.repeat(28)}` };
    const reader = withStatus(sample, {});
    const statuses = [{ ...sample.status, committed: orphan }, sample.status];
    reader.getStatus = () => Promise.resolve(statuses.shift() ?? sample.status);
    const { body } = await ask(reader);
    expect([body.head_block_num, body.head_block_id]).toEqual([505, blockAt(chain, 505).position.id]);
  });

  it.each<[string, Partial<ChainStatus>, string]>([
    ['no block is committed', { committed: undefined }, 'no block is committed yet'],
    ['only a snapshot is committed', { firstBlockNum: undefined }, 'no block is committed yet'],
    ['the head is not stored', { committed: { num: 506, id: 'cd'.repeat(32) } }, 'the chain is forking'],
  ])('responds 503 while %s, and logs why', async (_when, status, why) => {
    const deps = createApiDeps(withStatus(sample, status));
    const logged = jest.spyOn(deps.log, 'error');
    expect(await client.refusalOf(createChainApi(deps), route, {})).toMatchObject({ status: 503, name: 'unavailable' });
    expect(logged.mock.calls).toMatchObject([
      [{ error: { message: expect.stringContaining(why) } }, expect.anything()],
    ]);
  });

  it('reads a header once, and again after a failed read', async () => {
    const reader = withStatus(sample, {});
    let reads = 0;
    reader.getBlock = (selector) => {
      reads++;
      if (reads === 1) return Promise.reject(new HistoryError('STORE_UNAVAILABLE', 'away'));
      return sample.getBlock(selector);
    };
    const app = createChainApi(createApiDeps(reader));
    expect((await client.refusalOf(app, route, {})).status).toBe(503);
    for (let sent = 0; sent < 3; sent++) expect((await client.post(app, route, {})).status).toBe(200);
    expect(reads).toBe(3);
  });
});

describe('get_info with a chain node', () => {
  const { info, reader } = readerAtResponse('leap-edge');
  const open: NodeStandIn[] = [];
  const openNode = async (listener: RequestListener): Promise<string> => {
    const node = await NodeStandIn.open(listener);
    open.push(node);
    return node.url;
  };
  const respond =
    (body: string): RequestListener =>
    (_request, response) =>
      response.end(body);
  afterAll(() => open.forEach((node) => node.close()));
  const ask = (chainNodeUrls: string[], from = reader) =>
    client.post(createChainApi({ ...createApiDeps(from), chainNodeUrls }), route, {});

  it.each([
    ['is not there', () => Promise.resolve('http://127.0.0.1:1')],
    ['never responds', () => openNode(() => undefined)],
    ['responds with something else', () => openNode(respond('<html>'))],
    ['responds with fields of other types', () => openNode(respond(JSON.stringify({ ...info, block_cpu_limit: {} })))],
    ['responds with more than 64 KiB', () => openNode(respond(JSON.stringify({ ...info, x: 'x'.repeat(70_000) })))],
    ['redirects', () => openNode((_request, response) => response.writeHead(302, { location: '/x' }).end())],
    ['is on another chain', () => openNode(respond(JSON.stringify({ ...info, chain_id: OTHER_CHAIN })))],
  ])('does without it when it %s', async (_, start) => {
    const url = await start();
    const startedAt = performance.now();
    const { status, body } = await ask([url]);
    expect([status, body.chain_id, body.head_block_num]).toEqual([200, info.chain_id, info.head_block_num]);
    expect(body.server_version).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  });

  it('asks the next node when one fails', async () => {
    const good = await openNode(respond(JSON.stringify(info)));
    expect((await ask(['http://127.0.0.1:1', good])).text).toBe(JSON.stringify(info));
  });

  it('takes the chain id from the node if the history has none', async () => {
    const good = await openNode(respond(JSON.stringify(info)));
    expect((await ask([good], withStatus(reader, { chainId: undefined }))).text).toBe(JSON.stringify(info));
  });
});

/** An HTTP server in place of a chain node. */
class NodeStandIn {
  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  static async open(listener: RequestListener): Promise<NodeStandIn> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new NodeStandIn(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
