import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import request from 'supertest';
import { createLogger } from '@antelope-history/app-runtime';
import { ROUTES } from '@antelope-history/routes';
import { CHAIN_FACTS, GatewayFixture } from './gateway-fixture';

const { path } = ROUTES.getActions;

/** One of several interchangeable history APIs; it responds with its name and the length of the body. */
class NamedApi {
  private server: Server | undefined;
  private port = 0;

  constructor(private readonly name: string) {}

  async open(): Promise<string> {
    this.server = createServer((incoming, response) => {
      response.setHeader('content-type', 'application/json');
      if (incoming.url === '/health') response.end(JSON.stringify({ ...CHAIN_FACTS, status: 'ok' }));
      else void text(incoming).then((body) => response.end(JSON.stringify({ by: this.name, length: body.length })));
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.port}`;
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
  const apis = ['a', 'b', 'c'].map((name) => new NamedApi(name));
  let urls: string[];
  let time = 0;

  beforeAll(() => fixture.open());
  beforeEach(async () => {
    urls = await Promise.all(apis.map((api) => api.open()));
  });
  afterEach(() => Promise.all(apis.map((api) => api.close())));
  afterAll(() => fixture.close());

  const createGateway = (lines: string[] = []) =>
    fixture.serve(
      fixture.createGateway({
        log: createLogger('test', 'warn', { write: (line) => void lines.push(line) }),
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
});
