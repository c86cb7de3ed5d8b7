import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { COST_HEADER, createLogger } from '@antelope-history/app-runtime';
import { ROUTES, STREAM } from '@antelope-history/routes';
import { CHAIN_FACTS, GatewayFixture } from './gateway-fixture';

const { path } = ROUTES.getActions;

/**
 * What an API does with requests: it responds at once, after a quarter of a second, or with a pause in the response, responds with an error, leaves
 * the client waiting, closes the connection after it has read the request, or resets it after the head of its response.
 */
type Mode = 'responds' | 'delays' | 'pauses' | 'fails' | 'hangs' | 'closes' | 'resets';

/** One of several interchangeable history APIs; it responds with its name and the length of the body. */
class NamedApi {
  mode: Mode = 'responds';
  /** What it does with requests on a connection that carried a response before. */
  keptMode: Mode = 'responds';
  requests = 0;
  health: 'ok' | 'down' | 'hangs' | 'absent' | 'resets' = 'ok';
  private readonly kept = new WeakSet<Socket>();
  private server: Server | undefined;
  private port = 0;

  constructor(private readonly name: string) {}

  async open(): Promise<string> {
    this.server = createServer((incoming, response) => void this.handle(incoming, response));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.port}`;
  }

  private async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('content-type', 'application/json');
    if (incoming.url === '/health') {
      await this.sendHealth(response);
      return;
    }
    const mode = this.kept.has(incoming.socket) ? this.keptMode : this.mode;
    this.kept.add(incoming.socket);
    const { length } = await text(incoming);
    this.requests++;
    if (mode === 'fails') response.statusCode = 500;
    if (mode === 'pauses') response.write(' ');
    if (mode === 'pauses' || mode === 'delays') await sleep(250);
    if (mode === 'resets') {
      response.writeHead(200, { 'content-length': 100, [COST_HEADER]: 5 }).flushHeaders();
      await sleep(50);
      incoming.socket.resetAndDestroy();
    } else if (mode === 'closes') incoming.socket.destroy();
    else if (mode !== 'hangs') response.end(JSON.stringify({ by: this.name, length }));
  }

  private async sendHealth(response: ServerResponse): Promise<void> {
    const { health } = this;
    if (health === 'resets') {
      await sleep(200);
      response.destroy();
    } else if (health === 'absent') response.writeHead(404).end('no such page');
    else if (health !== 'hangs') response.end(JSON.stringify({ ...CHAIN_FACTS, status: health }));
  }

  async close(): Promise<void> {
    const { server } = this;
    if (!server?.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
}

describe('a gateway in front of several interchangeable APIs', () => {
  const fixture = new GatewayFixture();
  let apis: NamedApi[];
  let urls: string[];
  let time = 0;

  beforeAll(() => fixture.open());
  beforeEach(async () => {
    apis = ['a', 'b', 'c'].map((name) => new NamedApi(name));
    urls = await Promise.all(apis.map((api) => api.open()));
  });
  afterEach(() => Promise.all(apis.map((api) => api.close())));
  afterAll(() => fixture.close());

  const createGateway = (lines: string[] = []) =>
    fixture.serve(
      fixture.createGateway({
        log: createLogger('test', 'info', { write: (line) => void lines.push(line) }),
        environment: {
          HISTORY_GATEWAY__HISTORY_API_URL: urls.join(', '),
          HISTORY_GATEWAY__PUBLIC_PATHS: 'health_details',
        },
        now: () => time,
      }),
    );

  /** Sends `count` requests and returns the name of the API that responded to each. Every response must be complete. */
  async function respondersOf(gateway: string, count: number, bodyLength = 2): Promise<string[]> {
    const names: string[] = [];
    for (let sent = 0; sent < count; sent++) {
      const response = await request(gateway).post(path).send(' '.repeat(bodyLength));
      expect([response.status, response.body.length]).toEqual([200, bodyLength]);
      names.push(response.body.by as string);
    }
    return names;
  }

  it('distributes requests evenly', async () => {
    const names = await respondersOf(await createGateway(), 9);
    for (const name of ['a', 'b', 'c']) expect(names.filter((by) => by === name)).toHaveLength(3);
  });

  it('loses no request while one API is unavailable, and uses it again later', async () => {
    const lines: string[] = [];
    const gateway = await createGateway(lines);
    await apis[1]?.close();
    const names = await respondersOf(gateway, 9, 60_000);
    expect(names).not.toContain('b');
    // It is not tried again for some seconds.
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ url: urls[1] }]);
    await apis[1]?.open();
    time += 5_001;
    expect(await respondersOf(gateway, 6)).toContain('b');
  });

  it('loses no request when all APIs but one stop between two requests', async () => {
    const gateway = await createGateway();
    await respondersOf(gateway, 6);
    for (const api of [apis[0], apis[2]]) await api?.close();
    expect(new Set(await respondersOf(gateway, 6, 30_000))).toEqual(new Set(['b']));
  });

  it('reports in /health that not all of them respond', async () => {
    const gateway = await createGateway();
    const read = async () => (await request(gateway).get('/health')).body;
    expect(await read()).toMatchObject({ status: 'ok', components: { history_api: { status: 'ok' } } });
    await apis[0]?.close();
    time += 1_001;
    expect(await read()).toMatchObject({ status: 'degraded', components: { history_api: { status: 'degraded' } } });
    await Promise.all(apis.map((api) => api.close()));
    time += 1_001;
    expect(await read()).toMatchObject({ status: 'degraded', components: { history_api: { status: 'down' } } });
  });

  it('responds 503 while none of them is available, and recovers when one is', async () => {
    const gateway = await createGateway();
    await Promise.all(apis.map((api) => api.close()));
    for (let sent = 0; sent < 3; sent++) {
      const response = await request(gateway).post(path).send({});
      expect([response.status, response.body.error.name]).toEqual([503, 'unavailable']);
    }
    await apis[2]?.open();
    expect(await respondersOf(gateway, 3)).toEqual(['c', 'c', 'c']);
  });

  it.each(['hangs', 'down'] as const)(
    'skips an API whose health %s, and uses it again when it is well',
    async (health) => {
      const lines: string[] = [];
      const gateway = await createGateway(lines);
      const [, second] = apis;
      if (second) Object.assign(second, { health, mode: 'hangs' });
      const waiting = request(gateway).post(path).send({});
      const first = waiting.then(({ status }) => status);
      // The check of an API that hangs takes two seconds.
      if (health === 'hangs') await sleep(2_300);
      expect(await first).toBe(200);
      expect(new Set(await respondersOf(gateway, 6))).toEqual(new Set(['a', 'c']));
      const entries = () => lines.map((line) => JSON.parse(line) as unknown);
      expect(entries()).toMatchObject([{ upstream: 'history-api', url: urls[1], level: 40 }]);
      if (second) Object.assign(second, { health: 'ok', mode: 'responds' });
      time += 10_001;
      expect(await respondersOf(gateway, 6)).toContain('b');
      expect(entries().slice(1)).toMatchObject([{ url: urls[1], level: 30, msg: 'an upstream is used again' }]);
    },
  );

  it('uses an API that responds to requests, but not to a check', async () => {
    const lines: string[] = [];
    const gateway = await createGateway(lines);
    await respondersOf(gateway, 3);
    const [, second] = apis;
    if (second) second.health = 'resets';
    time += 2_001;
    expect(await respondersOf(gateway, 3)).toContain('b');
    await sleep(300);
    expect(await respondersOf(gateway, 3)).toContain('b');
    expect(lines).toEqual([]);
    if (second) second.keptMode = 'fails';
    time += 2_001;
    const statuses = [0, 1, 2].map(async () => (await request(gateway).post(path).send({})).status);
    expect((await Promise.all(statuses)).sort()).toEqual([200, 200, 500]);
    await sleep(300);
    expect(new Set(await respondersOf(gateway, 6))).toEqual(new Set(['a', 'c']));
  });

  it('repeats the requests that wait for an API that is found to hang, and no others', async () => {
    const gateway = await createGateway();
    await respondersOf(gateway, 3);
    for (const api of apis) Object.assign(api, { mode: 'delays', keptMode: 'delays' });
    const [, second] = apis;
    if (second) Object.assign(second, { health: 'down', mode: 'hangs', keptMode: 'hangs' });
    const waiting = Promise.all(Array.from({ length: 6 }, () => respondersOf(gateway, 1)));
    await sleep(100);
    time += 2_001;
    await respondersOf(gateway, 1);
    expect((await waiting).flat()).not.toContain('b');
    expect(apis.map(({ requests }) => requests).reduce((sum, count) => sum + count)).toBe(3 + 6 + 2 + 1);
  });

  it('repeats a request that was sent to an API in the place of one that was down, when this one hangs', async () => {
    const gateway = await createGateway();
    await respondersOf(gateway, 3);
    const [first, second] = apis;
    await first?.close();
    if (second) Object.assign(second, { health: 'down', mode: 'hangs', keptMode: 'hangs' });
    const waiting = respondersOf(gateway, 1);
    while (second?.requests === 1) await sleep(5);
    await first?.open();
    time += 2_001;
    expect(await waiting).not.toContain('b');
  });

  it('repeats a request that was cut off on a kept connection when the next API hangs', async () => {
    const gateway = await createGateway();
    await respondersOf(gateway, 3);
    const [first, second] = apis;
    if (first) first.keptMode = 'closes';
    if (second) Object.assign(second, { health: 'down', mode: 'hangs', keptMode: 'hangs' });
    const waiting = respondersOf(gateway, 1);
    while (second?.requests === 1) await sleep(5);
    time += 2_001;
    expect(await waiting).not.toContain('b');
    expect(apis.map(({ requests }) => requests).reduce((sum, count) => sum + count)).toBe(3 + 3);
  });

  it('finds that an API hangs also when no further request arrives', async () => {
    const gateway = await createGateway();
    await respondersOf(gateway, 1);
    const [, second] = apis;
    if (second) Object.assign(second, { health: 'down', mode: 'hangs' });
    const waiting = respondersOf(gateway, 1);
    await sleep(100);
    time += 2_001;
    expect(await waiting).toEqual(['c']);
  });

  it('cuts no response off that has begun', async () => {
    const gateway = await createGateway();
    await respondersOf(gateway, 3);
    const [first] = apis;
    if (first) Object.assign(first, { health: 'down', keptMode: 'pauses' });
    const waiting = respondersOf(gateway, 1);
    await sleep(100);
    time += 2_001;
    await respondersOf(gateway, 1);
    expect(await waiting).toEqual(['a']);
  });

  it('cuts no request off while no API is well', async () => {
    const gateway = await createGateway();
    await respondersOf(gateway, 3);
    for (const api of apis) Object.assign(api, { health: 'down', keptMode: 'delays' });
    const waiting = respondersOf(gateway, 1);
    await sleep(100);
    time += 2_001;
    expect(await Promise.all([waiting, respondersOf(gateway, 1)])).toEqual([['a'], ['b']]);
    expect(apis.map(({ requests }) => requests)).toEqual([2, 2, 1]);
  });

  it('opens no stream at an API that is skipped', async () => {
    const gateway = await createGateway();
    const [, second] = apis;
    if (second) second.health = 'down';
    const open = async () => (await request(gateway).get(STREAM.path)).body.by as string;
    expect(new Set([await open(), await open(), await open(), await open()])).toEqual(new Set(['a', 'c']));
  });

  it('uses an API that serves no health', async () => {
    for (const api of apis) api.health = 'absent';
    expect(new Set(await respondersOf(await createGateway(), 6))).toEqual(new Set(['a', 'b', 'c']));
  });

  it('loses no request that an API cuts off on a kept connection', async () => {
    const gateway = await createGateway();
    await respondersOf(gateway, 6);
    for (const api of apis) api.keptMode = 'closes';
    expect(await respondersOf(gateway, 12, 30_000)).toHaveLength(12);
  });

  it('repeats no request whose response on a kept connection has begun', async () => {
    const gateway = await createGateway();
    await respondersOf(gateway, 3);
    for (const api of apis) api.keptMode = 'resets';
    await expect(request(gateway).post(path).send({})).rejects.toMatchObject({ code: 'ECONNRESET' });
    await sleep(100);
    expect(apis.map(({ requests }) => requests)).toEqual([2, 1, 1]);
  });

  it('loses no request that an API cuts off on a new connection, and skips it for five seconds', async () => {
    const lines: string[] = [];
    const gateway = await createGateway(lines);
    const [, second] = apis;
    if (second) second.mode = 'closes';
    expect(await respondersOf(gateway, 2)).toEqual(['a', 'c']);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ upstream: 'history-api', url: urls[1] }]);
    time += 2_001;
    await respondersOf(gateway, 1);
    await sleep(100);
    expect(new Set(await respondersOf(gateway, 6))).toEqual(new Set(['a', 'c']));
    if (second) second.mode = 'responds';
    time += 3_000;
    expect(await respondersOf(gateway, 6)).toContain('b');
  });

  it.each([3, 0])('responds 503 when the repeated request is cut off, too (%i kept connections)', async (kept) => {
    const gateway = await createGateway();
    await respondersOf(gateway, kept);
    for (const api of apis) Object.assign(api, { mode: 'closes', keptMode: 'closes' });
    const response = await request(gateway).post(path).send({});
    expect([response.status, response.body.error.name]).toEqual([503, 'unavailable']);
    expect(apis.map(({ requests }) => requests).reduce((sum, count) => sum + count)).toBe(kept + 2);
  });

  it('limits the lines of the log while no API can be reached', async () => {
    const lines: string[] = [];
    const gateway = await createGateway(lines);
    await Promise.all(apis.map((api) => api.close()));
    for (let sent = 0; sent < 15; sent++) expect((await request(gateway).post(path).send({})).status).toBe(503);
    const entries = lines.map((line) => JSON.parse(line) as { url?: string; msg: string; upstream?: string });
    for (const url of urls)
      expect(entries.filter((entry) => entry.url === url && /trying another/.test(entry.msg))).toHaveLength(10);
    expect(entries.filter(({ msg, url }) => msg.startsWith('no upstream can be reached') && !url)).toHaveLength(10);
    expect(entries.filter(({ upstream }) => upstream !== 'history-api')).toEqual([]);
  });
});
