import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import request from 'supertest';
import type { KeyValue } from '@antelope-history/key-value';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { ROUTES } from '@antelope-history/routes';
import { createHttpApp, createLogger, listen, loadConfig, Registry } from '@antelope-history/app-runtime';
import { createGateway, createGatewayService } from '../src';
import { CHAIN_FACTS, GatewayFixture } from './gateway-fixture';

const PATH = ROUTES.getActions.path;
const OTHER_ID = 'cd'.repeat(32);

describe('a gateway of several chains', () => {
  const [eos, wax] = [new GatewayFixture(), new GatewayFixture({ ...CHAIN_FACTS, chain_id: OTHER_ID })];
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-chains-'));
    await Promise.all([eos.open(), wax.open()]);
  });
  afterAll(async () => {
    await Promise.all([eos.close(), wax.close()]);
    rmSync(folder, { recursive: true });
  });

  interface Settings {
    gateway?: object;
    api?: object;
    eos?: object;
    wax?: object;
    keyValueOf?: (chain: string) => KeyValue;
    now?: () => number;
  }

  function createService({ gateway, api, keyValueOf = () => new MemoryKeyValue(), now, ...own }: Settings = {}) {
    const file = path.join(folder, 'config.json');
    const chains = {
      eos: { ...eos.apiUrls(), ...own.eos },
      wax: { ...wax.apiUrls(), hosts: ['wax.example'], ...own.wax },
    };
    writeFileSync(file, JSON.stringify({ api, gateway: { chains, ...gateway } }));
    const config = loadConfig({}, { file });
    const log = createLogger('test', 'silent');
    const registry = new Registry();
    const deps = { config, keyValue: new MemoryKeyValue(), keyValueOf, log, registry, ...(now && { now }) };
    return { ...createGatewayService(deps), registry };
  }

  /** The port of the API that responded: the fixtures have no other difference. */
  const hostOf = (response: { body: { host?: string } }): string | undefined => response.body.host;
  const hosts = { eos: () => hostAt(eos), wax: () => hostAt(wax) };
  const hostAt = (fixture: GatewayFixture): string => new URL(fixture.apiUrls().history_api_url).host;

  it('serves each chain below its name and at its host names, with the paths and queries of a chain', async () => {
    const { app } = createService();
    const byName = await request(app).post(`/eos${PATH}`).send({ a: 1 });
    expect([byName.status, byName.body.body, hostOf(byName)]).toEqual([200, { a: 1 }, hosts.eos()]);
    expect(hostOf(await request(app).post(`/wax${PATH}/?x=1`).send({}))).toBe(hosts.wax());
    expect(hostOf(await request(app).post(PATH).set('host', 'WAX.example:8888').send({}))).toBe(hosts.wax());
    const ofOther = await request(app).post(`/eos${PATH}`).set('host', 'wax.example').send({});
    expect(ofOther.status).toBe(404);
  });

  it('needs the gateway app', () => {
    const file = path.join(folder, 'standalone.json');
    writeFileSync(file, JSON.stringify({ gateway: { chains: { eos: eos.apiUrls() } } }));
    const config = loadConfig({}, { file });
    expect(() => createGateway({ ...eos.depsOf({}), config })).toThrow('run the gateway app');
  });

  it('forwards the other calls of a chain to its own node only', async () => {
    const node = await listen((_request, response) => response.end('{"node":"eos"}'), { host: '127.0.0.1', port: 0 });
    const other = await listen((_request, response) => response.end('{"node":"other"}'), {
      host: '127.0.0.1',
      port: 0,
    });
    const { app } = createService({ gateway: { chain_node_url: other.url }, eos: { chain_node_url: node.url } });
    expect((await request(app).post('/eos/v1/chain/get_account').send({})).text).toBe('{"node":"eos"}');
    expect((await request(app).post('/wax/v1/chain/get_account').send({})).status).toBe(404);
    await Promise.all([node.close(), other.close()]);
  });

  it('forwards them to no node of another chain than that of its chain_id', async () => {
    const nodes = await Promise.all(
      [OTHER_ID, CHAIN_FACTS.chain_id].map((id) => {
        // The head of another chain is no measure of how far a node is behind.
        const body = JSON.stringify({ chain_id: id, head_block_num: id === OTHER_ID ? 1_000_000 : 9 });
        return listen((_request, response) => response.end(body), { host: '127.0.0.1', port: 0 });
      }),
    );
    const urls = nodes.map(({ url }) => url).join();
    const { app } = createService({ eos: { chain_node_url: urls, chain_id: CHAIN_FACTS.chain_id } });
    for (let sent = 0; sent < 4; sent++) {
      const { text } = await request(app).post('/eos/v1/chain/get_account').send({});
      expect((JSON.parse(text) as { chain_id: string }).chain_id).toBe(CHAIN_FACTS.chain_id);
    }
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('names the chains in the response to a path of none', async () => {
    const { status, body } = await request(createService().app).post(PATH).send({});
    expect(status).toBe(404);
    expect(JSON.stringify(body)).toContain('begin it with /eos or /wax');
  });

  it('counts the requests of a client to all chains together', async () => {
    const { app } = createService({ api: { rate_limit_rpm: 2 }, now: () => 1_800_000_000_000 });
    const statuses = [];
    for (const target of [`/eos${PATH}`, `/wax${PATH}`, `/eos${PATH}`, `/wax${PATH}`, '/health'])
      statuses.push((await request(app).post(target).send({})).status);
    expect(statuses.slice(0, 4)).toEqual([200, 200, 429, 429]);
    expect((await request(app).get('/health')).status).toBe(429);
  });

  it('keeps a chain whose APIs hang from holding the requests to another one', async () => {
    const registry = new Registry();
    const log = createLogger('test', 'silent');
    const hang = createHttpApp({
      name: 'hanging',
      log,
      registry,
      routes: [{ endpoint: '', path: PATH, method: 'POST', handlers: [() => undefined] }],
    });
    const hanging = await listen(hang, { host: '127.0.0.1', port: 0 });
    const limits = { max_requests_in_flight: 1, max_requests_per_client: 1 };
    const { app } = createService({ gateway: limits, eos: { history_api_url: hanging.url } });
    const server = await listen(app, { host: '127.0.0.1', port: 0 });
    const abort = new AbortController();
    const send = (target: string) => fetch(`${server.url}${target}`, { method: 'POST', signal: abort.signal });
    const stuck = [send(`/eos${PATH}`), send(`/eos${PATH}`)].map((sent) => sent.catch(() => undefined));
    expect((await send(`/wax${PATH}`)).status).toBe(200);
    abort.abort();
    await Promise.all(stuck);
    await Promise.all([hanging.close(), server.close()]);
  });

  it('refuses the requests to a chain whose APIs serve another one', async () => {
    const { app } = createService({ eos: { chain_id: OTHER_ID }, wax: { chain_id: 'ef'.repeat(32) } });
    const refused = await request(app).post(`/eos${PATH}`).send({});
    expect(refused.status).toBe(503);
    const { body, status } = await request(app).get('/health');
    expect([status, body.chains.eos.status, body.chains.eos.chain_id]).toEqual([503, 'down', null]);
    const right = createService({ eos: { chain_id: CHAIN_FACTS.chain_id }, wax: { chain_id: OTHER_ID } });
    expect((await request(right.app).post(`/eos${PATH}`).send({})).status).toBe(200);
  });

  it('refuses them from five seconds after its APIs have changed the chain', async () => {
    let time = 1_800_000_000_000;
    const moved = new GatewayFixture();
    await moved.open();
    const { app } = createService({ eos: { ...moved.apiUrls(), chain_id: CHAIN_FACTS.chain_id }, now: () => time });
    const post = async () => (await request(app).post(`/eos${PATH}`).send({})).status;
    expect(await post()).toBe(200);
    moved.facts = { ...CHAIN_FACTS, chain_id: OTHER_ID };
    time += 5_000;
    await post();
    await request(app).get('/eos/health');
    expect(await post()).toBe(503);
    // They wait for the check that finds the right chain again.
    moved.facts = CHAIN_FACTS;
    time += 5_000;
    expect(await post()).toBe(200);
    await moved.close();
  });

  it('does not take a chain whose APIs name none yet for the right one', async () => {
    let time = 1_800_000_000_000;
    const starting = new GatewayFixture({ ...CHAIN_FACTS, chain_id: null as unknown as string });
    await starting.open();
    const { app } = createService({ eos: { ...starting.apiUrls(), chain_id: CHAIN_FACTS.chain_id }, now: () => time });
    const post = async () => (await request(app).post(`/eos${PATH}`).send({})).status;
    expect(await post()).toBe(200);
    starting.facts = { ...CHAIN_FACTS, chain_id: OTHER_ID };
    time += 5_000;
    expect(await post()).toBe(503);
    await starting.close();
  });

  it('reads the state of the processes of each chain with its key prefix', async () => {
    const asked: string[] = [];
    createService({ keyValueOf: (chain) => (asked.push(chain), new MemoryKeyValue()) });
    expect(asked).toEqual(['eos', 'wax']);
  });

  it('shows the health of each chain, and of all', async () => {
    const { app } = createService();
    const { body } = await request(app).get('/health');
    expect(body).toMatchObject({ status: 'ok', chains: { eos: { status: 'ok' }, wax: { chain_id: OTHER_ID } } });
    expect(body.chains.eos).not.toHaveProperty('components');
    expect((await request(app).get('/wax/health')).body).toMatchObject({ status: 'ok', chain_id: OTHER_ID });
    // Clients see no metrics unless the operator shows them.
    expect((await request(app).get('/metrics')).status).toBe(404);
    wax.chainHealth = 'down';
    const { body: degraded } = await request(createService().app).get('/health');
    wax.chainHealth = 'ok';
    expect([degraded.status, degraded.chains.eos.status, degraded.chains.wax.status]).toEqual([
      'degraded',
      'ok',
      'degraded',
    ]);
  });

  it('has a list of the chains and their pages below their names', async () => {
    const { app } = createService({ gateway: { public_paths: ['explorer', 'docs'] } });
    const list = await request(app).get('/');
    expect(list.text).toContain('<a href="./wax/">wax</a>');
    const style = /href="\.(\/page\/[^"]*style\.css)"/.exec(list.text)?.[1] ?? '';
    expect((await request(app).get(style)).status).toBe(200);
    const moved = await request(app).get('/wax');
    expect([moved.status, moved.headers['location']]).toEqual([308, './wax/']);
    const page = await request(app).get('/wax/');
    expect(page.text).toContain('&#34;chain&#34;:&#34;wax&#34;');
    const script = /src="\.(\/page\/[^"]*main\.js)"/.exec(page.text)?.[1] ?? '';
    expect((await request(app).get(`/wax${script}`)).status).toBe(200);
    expect((await request(app).get('/wax/openapi.json')).body.servers).toEqual([{ url: './' }]);
    expect((await request(createService().app).get('/')).text).toContain('./eos/docs');
  });

  it('has the pages of each chain on the operations listener', async () => {
    const { operations } = createService();
    const app = createHttpApp({
      name: 'operations',
      log: createLogger('test', 'silent'),
      registry: new Registry(),
      routes: operations,
    });
    expect((await request(app).get('/')).text).toContain('./eos/');
    expect((await request(app).get('/eos/status')).body.health.chain_id).toBe(CHAIN_FACTS.chain_id);
    expect((await request(app).get('/eos')).headers['location']).toBe('./eos/');
    expect((await request(app).get('/eos/')).text).toContain('&#34;path&#34;:&#34;/eos&#34;');
    expect((await request(app).get('/health')).body.chains.wax).toHaveProperty('components');
  });

  it('counts the requests of each chain', async () => {
    const { app, registry } = createService();
    await request(app).post(`/eos${PATH}`).send({});
    expect(await registry.metrics()).toMatch(
      new RegExp(`http_requests_total\\{app="gateway/eos",path="${PATH}",status="2xx"\\} 1`),
    );
  });

  it('writes the whole address of a request to the access log', async () => {
    const file = path.join(folder, 'access.log');
    const { app } = createService({ gateway: { access_log: 'json', access_log_file: file } });
    await request(app).post(`/eos${PATH}?x=1`).send({});
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ url: `/eos${PATH}?x=1`, status: 200 });
  });
});
