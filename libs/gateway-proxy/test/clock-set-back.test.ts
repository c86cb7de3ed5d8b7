import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import request from 'supertest';
import { createLogger, loadConfig, Registry } from '@antelope-history/app-runtime';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { ROUTES } from '@antelope-history/routes';
import { createGatewayService } from '../src';
import { CHAIN_FACTS, GatewayFixture } from './gateway-fixture';

const HOUR_MS = 3_600_000;
const PATH = ROUTES.getActions.path;

/** While an hour that the machine's clock was set back by passes again, the gateway must not stand still. */
describe('a gateway whose machine sets its clock back by an hour', () => {
  const fixture = new GatewayFixture();
  let folder: string;
  /** Milliseconds that pass without a wait, and those by which the clock is set. */
  let passedMs: number;
  let setByMs: number;

  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'clock-set-back-'));
    [passedMs, setByMs] = [0, 0];
    const [wall, steady] = [Date.now.bind(Date), performance.now.bind(performance)];
    jest.spyOn(Date, 'now').mockImplementation(() => wall() + passedMs + setByMs);
    jest.spyOn(performance, 'now').mockImplementation(() => steady() + passedMs);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  const setBackAndWait = (ms: number): void => {
    setByMs -= HOUR_MS;
    passedMs += ms;
  };

  it('reads the health anew', async () => {
    let status: 'ok' | 'down' = 'ok';
    const gateway = fixture.createOperations({ components: { reader: async () => ({ status }) } });
    expect((await request(gateway).get('/health')).body).toMatchObject({ status: 'ok' });
    status = 'down';
    setBackAndWait(1_000);
    expect((await request(gateway).get('/health')).body).toMatchObject({ status: 'degraded' });
  });

  it('accepts an API key no longer that its file does not have any more', async () => {
    const file = path.join(folder, 'keys.json');
    const sha256 = createHash('sha256').update('key').digest('hex');
    writeFileSync(file, JSON.stringify([{ name: 'one', sha256, requests_per_minute: 0, cost_per_minute: 0 }]));
    const gateway = fixture.createGateway({ environment: { HISTORY_GATEWAY__API_KEYS_FILE: file } });
    const post = async () => (await request(gateway).post(PATH).set('x-api-key', 'key').send({})).status;
    expect(await post()).toBe(200);
    writeFileSync(file, '[]');
    setBackAndWait(5_000);
    expect(await post()).toBe(401);
  });

  it('uses an API again that was unavailable', async () => {
    let served = 0;
    const server = createServer(({ url }, response) => {
      served += Number(url === PATH);
      response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const { history_api_url: other } = fixture.apiUrls();
    const urls = `http://127.0.0.1:${port},${other}`;
    const gateway = fixture.createGateway({ environment: { HISTORY_GATEWAY__HISTORY_API_URL: urls } });
    const post = async () => (await request(gateway).post(PATH).send({})).status;
    expect([await post(), await post()]).toEqual([200, 200]);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    setBackAndWait(5_001);
    await post();
    await post();
    server.close();
    server.closeAllConnections();
    expect(served).toBe(1);
  });

  it('refuses the requests to a chain whose APIs serve another one since', async () => {
    const moved = new GatewayFixture();
    await moved.open();
    const file = path.join(folder, 'config.json');
    const chains = { eos: { ...moved.apiUrls(), chain_id: CHAIN_FACTS.chain_id } };
    writeFileSync(file, JSON.stringify({ gateway: { chains } }));
    const { app } = createGatewayService({
      config: loadConfig({}, { file }),
      keyValue: new MemoryKeyValue(),
      keyValueOf: () => new MemoryKeyValue(),
      log: createLogger('test', 'silent'),
      registry: new Registry(),
    });
    const post = async () => (await request(app).post(`/eos${PATH}`).send({})).status;
    expect(await post()).toBe(200);
    moved.facts = { ...CHAIN_FACTS, chain_id: 'cd'.repeat(32) };
    setBackAndWait(5_000);
    await post();
    await request(app).get('/eos/health');
    expect(await post()).toBe(503);
    await moved.close();
  });
});
