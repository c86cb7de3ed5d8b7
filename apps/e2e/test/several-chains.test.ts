import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { readEventStream, readWebSocketStream } from '@antelope-history/test-support/event-stream';
import { readChainBlocks, type SampleName, sampleFolder } from '@antelope-history/test-support/recordings';
import {
  type AppProcess,
  type IndexedService,
  startApp,
  startIndexedService,
  startProgram,
  stop,
} from '@antelope-history/processes';
import { ROUTES, STREAM } from '@antelope-history/routes';
import { settledHealth } from '../src';

const WORKSPACE = path.resolve(__dirname, '../../..');
const EXAMPLE = path.join(WORKSPACE, 'deploy/config/several-chains');
/** The chains of the example, each with a recording that stands for it. */
const CHAINS = { eos: 'leap-edge', wax: 'spring-savanna' } as const satisfies Record<string, SampleName>;
type ChainName = keyof typeof CHAINS;
const NAMES = Object.keys(CHAINS) as ChainName[];
/** Of each kind. */
const MAX_REQUESTS = 60;
const ACCOUNTS = ['eosio', 'alice', 'bob', 'nobody'];

interface Example {
  gateway: { trusted_proxies: string[]; chains: Record<string, Record<string, unknown>> };
  ops: object;
}

function readExample(file: string): Example {
  return JSON.parse(readFileSync(path.join(EXAMPLE, file), 'utf8')) as Example;
}

/** Requests for the recorded blocks, and for the history of accounts. */
function requestsFor(sample: SampleName): { path: string; body: string }[] {
  const folder = sampleFolder(sample);
  const nums = [...readChainBlocks(folder)].slice(0, MAX_REQUESTS).map(({ blockNum }) => blockNum);
  return [
    ...nums.map((num) => ({ path: ROUTES.getChainBlock.path, body: JSON.stringify({ block_num_or_id: num }) })),
    ...nums.map((num) => ({ path: ROUTES.getTraceBlock.path, body: JSON.stringify({ block_num: num }) })),
    ...ACCOUNTS.flatMap((account) => [
      { path: ROUTES.getActions.path, body: JSON.stringify({ account_name: account, offset: 50 }) },
      { path: ROUTES.getControlledAccounts.path, body: JSON.stringify({ controlling_account: account }) },
    ]),
    { path: ROUTES.getTransaction.path, body: '{"id":"00"}' },
  ];
}

type Answer = [status: number | undefined, text: string];

/** `host`: the header, which `fetch` would set itself. */
async function post(url: string, body: string, host = new URL(url).host): Promise<Answer> {
  const sent = request(url, { method: 'POST', headers: { host } });
  const response = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.end(body);
  const [received] = await response;
  return [received.statusCode, await text(received)];
}

describe('the example of several chains', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-chains-'));
  const services = new Map<ChainName, IndexedService>();
  let gateway: AppProcess;
  let [url, operationsUrl] = ['', ''];

  /** Starts the gateway of the example with free ports and the addresses and ids of the test's chains. */
  async function startGateway(idOf: (name: ChainName) => string): Promise<void> {
    const example = readExample('gateway.json');
    for (const name of NAMES) {
      const api = services.get(name)?.url;
      const apis = { history_api_url: api, chain_api_url: api, trace_api_url: api };
      Object.assign(example.gateway.chains[name] ?? {}, apis, { chain_id: idOf(name) });
    }
    const file = path.join(folder, 'gateway.json');
    const settings = { ...example, gateway: { ...example.gateway, port: 0 }, ops: { gateway_port: 0 }, api: {} };
    writeFileSync(file, JSON.stringify(settings));
    gateway = startApp('gateway', { args: ['--config', file] });
    operationsUrl = (await gateway.logged('operations listening')).url ?? '';
    url = (await gateway.logged('listening')).url ?? '';
  }

  const idOf = new Map<ChainName, string>();
  const serviceOf = (name: ChainName): string => services.get(name)?.url ?? '';

  beforeAll(async () => {
    for (const name of NAMES) {
      const { trusted_proxies: proxies } = readExample(`${name}.json`).gateway;
      const environment = { HISTORY_GATEWAY__TRUSTED_PROXIES: proxies.join() };
      const service = await startIndexedService(sampleFolder(CHAINS[name]), environment);
      services.set(name, service);
      idOf.set(name, (await settledHealth(service)).chain_id ?? '');
    }
    await startGateway((name) => idOf.get(name) ?? '');
  }, 180_000);
  afterAll(async () => {
    await stop(gateway.child);
    for (const service of services.values()) await service.stop();
    rmSync(folder, { recursive: true });
  });

  it.each(NAMES)('answers the recorded requests to %s as its own process does, by path and by host', async (name) => {
    const requests = requestsFor(CHAINS[name]);
    expect(requests.length).toBeGreaterThan(MAX_REQUESTS);
    const statuses = new Set<number | undefined>();
    for (const { path: target, body } of requests) {
      const expected = await post(serviceOf(name) + target, body);
      statuses.add(expected[0]);
      expect(await post(`${url}/${name}${target}`, body)).toEqual(expected);
      expect(await post(url + target, body, `${name}.history.example`)).toEqual(expected);
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
  });

  it('gives the two chains different answers', async () => {
    const body = JSON.stringify({ block_num_or_id: 5 });
    const [eos, wax] = await Promise.all(NAMES.map((name) => post(`${url}/${name}${ROUTES.getChainBlock.path}`, body)));
    expect([eos?.[0], wax?.[0]]).toEqual([200, 200]);
    expect(eos?.[1]).not.toBe(wax?.[1]);
  });

  it.each([
    ['server-sent events', readEventStream],
    ['WebSocket', readWebSocketStream],
  ] as const)('streams the actions of a chain as %s', async (_, read) => {
    const abort = new AbortController();
    const firstOf = async (base: string): Promise<string> => {
      const options = { signal: abort.signal, lastEventId: undefined };
      for await (const { data } of read(`${base}${STREAM.path}?account_name=eosio&after=1`, options)) return data;
      throw new Error('the stream ended');
    };
    expect(await firstOf(`${url}/eos`)).toBe(await firstOf(serviceOf('eos')));
    abort.abort();
  });

  it('counts the cost that the process of a chain tells', async () => {
    const response = await fetch(`${serviceOf('eos')}${ROUTES.getInfo.path}`, { method: 'POST' });
    expect(Number(response.headers.get('x-request-cost'))).toBeGreaterThan(0);
    const throughGateway = await fetch(`${url}/eos${ROUTES.getInfo.path}`, { method: 'POST' });
    expect(throughGateway.status).toBe(200);
  });

  it('has the state of all chains, their pages, and an export of one', async () => {
    const health = (await (await fetch(`${operationsUrl}/health`)).json()) as { status: string; chains: object };
    expect(health).toMatchObject({ status: 'ok', chains: { eos: { status: 'ok' }, wax: { status: 'ok' } } });
    const page = await (await fetch(`${operationsUrl}/wax/`)).text();
    expect(page).toContain('&#34;path&#34;:&#34;/wax&#34;');
    const out = path.join(folder, 'eosio.csv');
    const args = ['export', '--url', `${url}/eos`, '--account', 'alice', '--format', 'csv', '--out', out];
    const cli = startProgram('tools/cli/dist/main.js', { args, environment: {}, stderr: 'pipe' });
    const status = await new Promise((resolve) => cli.once('exit', resolve));
    expect(status).toBe(0);
    expect(readFileSync(out, 'utf8').split('\n').length).toBeGreaterThan(10);
  });

  it('refuses the requests to chains whose addresses are exchanged', async () => {
    await stop(gateway.child);
    await startGateway((name) => idOf.get(name === 'eos' ? 'wax' : 'eos') ?? '');
    for (const name of NAMES) expect((await post(`${url}/${name}${ROUTES.getInfo.path}`, '{}'))[0]).toBe(503);
    expect((await fetch(`${url}/health`)).status).toBe(503);
  });
});
