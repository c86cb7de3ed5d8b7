import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createChainApi } from '@antelope-history/chain-endpoints';
import type { Finding } from '@antelope-history/connectivity/check';
import { createGateway, GatewayStatus } from '@antelope-history/gateway-proxy';
import { createHistoryApi } from '@antelope-history/history-endpoints';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import {
  createLogger,
  listen,
  type Listener,
  loadConfig,
  readServiceVersion,
  Registry,
} from '@antelope-history/app-runtime';
import { findFreePorts } from '@antelope-history/servers';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { createTraceApi } from '@antelope-history/trace-endpoints';
import { listChecks } from '../../src/check-config/list-checks';
import { runChecks } from '../../src/check-config/run-checks';

const CHAIN = 'c5'.repeat(32);
const OTHER = 'ab'.repeat(32);
const log = createLogger('test', 'silent');

/** The findings of the checks for the gateway, by check name without address. */
async function findingsOf(environment: Record<string, string>, aheadMs = 0): Promise<Record<string, Finding>> {
  const config = loadConfig({ HISTORY_GATEWAY__PORT: '0', ...environment });
  const findings: Record<string, Finding> = {};
  for await (const { check, finding } of runChecks(
    listChecks(config, 'gateway', () => Date.now() + aheadMs),
    2_000,
  )) {
    findings[check.replace(/ [\w.]+:\d+$/, '')] = finding;
  }
  return findings;
}

describe('the checks of the APIs and the chain node behind the gateway', () => {
  let folder: string;
  const closers: (() => Promise<void>)[] = [];
  let urls: Record<'HISTORY' | 'CHAIN' | 'TRACE', string>;
  let gateway: Listener;

  const serve = async (app: RequestListener): Promise<Listener> => {
    const listener = await listen(app, { host: '127.0.0.1', port: 0 });
    closers.push(() => listener.close());
    return listener;
  };

  async function openStore(name: string, chainId: string) {
    const options = { path: path.join(folder, name), mapSizeBytes: 0 };
    const writer = await openLmdbStoreWriter(options);
    await writer.setChainId(chainId);
    await writer.close();
    const reader = await openLmdbStoreReader(options);
    closers.push(() => reader.close());
    return { reader, config: loadConfig({}).api, log, registry: new Registry() };
  }

  const environmentOf = (changed: Partial<typeof urls> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries({ ...urls, ...changed }).map(([api, url]) => [`HISTORY_GATEWAY__${api}_API_URL`, url]),
    );

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'history-check-apis-'));
    const deps = await openStore('one', CHAIN);
    urls = {
      HISTORY: (await serve(createHistoryApi(deps))).url,
      CHAIN: (await serve(createChainApi(deps))).url,
      TRACE: (await serve(createTraceApi(deps))).url,
    };
    const config = loadConfig(environmentOf());
    const keyValue = new MemoryKeyValue();
    const status = new GatewayStatus({ config, keyValue });
    gateway = await serve(createGateway({ config, keyValue, status, log, registry: new Registry() }));
  });
  afterAll(async () => {
    for (const close of closers.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('succeed with one or several instances of each API', async () => {
    const several = environmentOf({ HISTORY: `${urls.HISTORY},${urls.HISTORY}/` });
    const findings = await findingsOf(several);
    expect(Object.values(findings).map(({ outcome, id }) => `${outcome} ${id}`)).toEqual([
      'ok configuration.valid',
      'ok api.answers',
      'ok api.answers',
      'ok api.answers',
      'ok api.chain',
      'ok api.clock',
    ]);
  });

  it('report another API, the gateway itself, and a foreign server at an API address', async () => {
    const swapped = await findingsOf(environmentOf({ HISTORY: urls.TRACE }));
    expect(swapped['history-api']).toMatchObject({ outcome: 'wrong', id: 'api.other_app' });
    expect(swapped['history-api']?.what).toContain('is trace-api, not history-api');
    const circular = await findingsOf(environmentOf({ CHAIN: gateway.url }));
    expect(circular['chain-api']?.what).toContain('is a gateway, not chain-api');
    const stranger = await serve(
      createServer((_request, response) => response.end('hello')).listeners('request')[0] as RequestListener,
    );
    const other = await findingsOf(environmentOf({ TRACE: stranger.url }));
    expect(other['trace-api']).toMatchObject({ outcome: 'wrong', id: 'api.other_server' });
  });

  it('report an API that does not run, unless this configuration starts it', async () => {
    const [port = 0] = await findFreePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const away = await findingsOf(environmentOf({ HISTORY: url }));
    expect(away['history-api']).toMatchObject({ outcome: 'wrong', id: 'api.refused' });
    expect(away['apis chain']?.id).toBe('check.not_run');
    const all = loadConfig({
      HISTORY_GATEWAY__HISTORY_API_URL: url,
      HISTORY_HISTORY_API__PORT: String(port),
      HISTORY_BROKER__KIND: 'rabbitmq',
    });
    const check = listChecks(all, 'all', Date.now).find(({ name }) => name === `history-api 127.0.0.1:${port}`);
    expect((await check?.run(AbortSignal.timeout(1_000)))?.id).toBe('api.not_started');
  });

  it('report APIs of different chains', async () => {
    const other = await serve(createTraceApi(await openStore('two', OTHER)));
    const { 'apis chain': chains } = await findingsOf(environmentOf({ TRACE: other.url }));
    expect(chains).toMatchObject({ outcome: 'wrong', id: 'api.chain_id_mismatch' });
    expect([chains?.what.includes(CHAIN), chains?.what.includes(OTHER)]).toEqual([true, true]);
    const { 'apis chain': configured } = await findingsOf({ ...environmentOf(), HISTORY_CHAIN_ID: OTHER });
    expect(configured?.what).toContain(`chain_id: ${OTHER}`);
  });

  it('check the APIs of each chain of a gateway that serves several', async () => {
    const two = await openStore('three', OTHER);
    const other = [createHistoryApi(two), createChainApi(two), createTraceApi(two)];
    const [history = '', chain = '', trace = ''] = await Promise.all(other.map(async (app) => (await serve(app)).url));
    const chains = {
      one: { history_api_url: gateway.url, chain_api_url: gateway.url, trace_api_url: gateway.url, chain_id: CHAIN },
      two: { history_api_url: history, chain_api_url: chain, trace_api_url: trace, chain_id: 'c6'.repeat(32) },
    };
    const file = path.join(folder, 'chains.json');
    writeFileSync(file, JSON.stringify({ gateway: { chains } }));
    const checks = listChecks(loadConfig({}, { file }), 'gateway', Date.now);
    const found: string[] = [];
    for await (const { check, finding } of runChecks(checks, 2_000))
      found.push(`${check.replace(/ [\w.]+:\d+$/, '')} ${finding.id}`);
    expect(found.filter((line) => /^(one|two):/.test(line))).toEqual([
      'one: history-api api.answers',
      'one: chain-api api.answers',
      'one: trace-api api.answers',
      'one: apis chain api.chain',
      'one: apis clock api.clock',
      'two: history-api api.answers',
      'two: chain-api api.answers',
      'two: trace-api api.answers',
      'two: apis chain api.chain_id_mismatch',
      'two: apis clock api.clock',
    ]);
  });

  it('report clocks that differ from the clock of this machine', async () => {
    const { 'apis clock': clock } = await findingsOf(environmentOf(), 3_600_000);
    expect(clock).toMatchObject({ outcome: 'wrong', id: 'api.clocks_differ' });
    expect(clock?.what).toMatch(/360\d seconds ahead of that of the machine of history-api/);
  });

  it('report an API that cannot answer queries, and one of another version', async () => {
    const health = { status: 'ok', version: readServiceVersion(), components: {}, chain_id: CHAIN };
    const answering =
      (changed: object): RequestListener =>
      (request, response) => {
        const isHealth = request.url === '/health';
        const status = isHealth ? 200 : request.url?.startsWith('/v1/chain') ? 405 : 404;
        response.writeHead(status).end(JSON.stringify({ ...health, ...changed }));
      };
    const down = await serve(answering({ status: 'down' }));
    expect((await findingsOf(environmentOf({ CHAIN: down.url })))['chain-api']?.id).toBe('api.down');
    const old = await serve(answering({ version: '4.0.0\u001b[31m' }));
    const { 'chain-api': finding } = await findingsOf(environmentOf({ CHAIN: old.url }));
    expect(finding).toMatchObject({ outcome: 'warning', id: 'api.other_version' });
  });

  it('report a chain node of another chain, and a server that is no chain node', async () => {
    const node =
      (body: object): RequestListener =>
      (_request, response) =>
        response.end(JSON.stringify(body));
    const at = async (body: object): Promise<Finding | undefined> => {
      const { url } = await serve(node(body));
      return (await findingsOf({ ...environmentOf(), HISTORY_GATEWAY__CHAIN_NODE_URL: url }))['chain node'];
    };
    expect((await at({ chain_id: CHAIN }))?.id).toBe('node.answers');
    expect(await at({ chain_id: OTHER })).toMatchObject({ outcome: 'wrong', id: 'node.chain_id_mismatch' });
    expect(await at({ hello: true })).toMatchObject({ outcome: 'wrong', id: 'node.other_server' });
  });
});
