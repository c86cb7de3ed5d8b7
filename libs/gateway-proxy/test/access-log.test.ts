import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { listen, type Listener, Registry } from '@antelope-history/app-runtime';
import { ROUTES, STREAM } from '@antelope-history/routes';
import { GatewayFixture } from './gateway-fixture';

const KEY = { name: 'gold', sha256: createHash('sha256').update('secret-key').digest('hex') };

describe('the access log', () => {
  const fixture = new GatewayFixture();
  let folder: string;
  let listener: Listener | undefined;
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'access-log-'))));
  afterEach(async () => {
    await listener?.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens a gateway that writes lines in a format; `lines` waits until there are as many. */
  async function open(format: string, registry = new Registry()) {
    const keys = path.join(folder, 'keys.json');
    const file = path.join(folder, 'access.log');
    writeFileSync(keys, JSON.stringify([{ ...KEY, requests_per_minute: 0, cost_per_minute: 0 }]));
    const gateway = fixture.createGateway({
      registry,
      environment: {
        HISTORY_GATEWAY__ACCESS_LOG: format,
        HISTORY_GATEWAY__ACCESS_LOG_FILE: file,
        HISTORY_GATEWAY__API_KEYS_FILE: keys,
        HISTORY_GATEWAY__TRUSTED_PROXIES: '127.0.0.1',
      },
    });
    listener = await listen(gateway, { host: '127.0.0.1', port: 0 });
    const { url } = listener;
    const lines = async (count: number): Promise<string[]> => {
      for (;;) {
        const written = readFileSync(file, 'utf8').split('\n').slice(0, -1);
        if (written.length >= count) return written;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    return { url, lines };
  }

  const POST = {
    method: 'POST',
    headers: {
      'x-api-key': 'secret-key',
      'x-forwarded-for': '203.0.113.7',
      'user-agent': 'a wallet',
      'x-request-id': '7',
    },
    body: '{"account_name":"body.of.it"}',
  };

  it('has a line per request in the Common Log Format', async () => {
    const { url, lines } = await open('common');
    const startedAt = Date.now();
    const response = await fetch(url + ROUTES.getActions.path, POST);
    const bytes = (await response.text()).length;
    await (await fetch(`${url}/nowhere`)).text();
    const [first, second] = await lines(2);
    expect(first).toMatch(
      /^203\.0\.113\.7 - gold \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "POST \/v1\/history\/get_actions HTTP\/1\.1" 200 (\d+|-)$/,
    );
    expect([String(bytes), '-']).toContain(first?.split(' ').at(-1));
    const [, day, clock] = /\[(\S+?):(\S+) /.exec(first ?? '') ?? [];
    const at = Date.parse(`${day?.replaceAll('/', ' ')} ${clock} GMT`);
    expect([at > startedAt - 1_000, at <= Date.now()]).toEqual([true, true]);
    expect(second).toMatch(/^127\.0\.0\.1 - - \[.*\] "GET \/nowhere HTTP\/1\.1" 404 \d+$/);
  });

  it('has a line per request as JSON, without its body and its key', async () => {
    const { url, lines } = await open('json');
    const startedAt = performance.now();
    await (await fetch(url + ROUTES.getActions.path, POST)).text();
    const [line = ''] = await lines(1);
    const { seconds } = JSON.parse(line) as { seconds: number };
    expect(seconds).toBeLessThanOrEqual((performance.now() - startedAt) / 1_000);
    expect(JSON.parse(line)).toMatchObject({
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      request_id: '7',
      address: '203.0.113.7',
      key: 'gold',
      method: 'POST',
      url: '/v1/history/get_actions',
      http_version: '1.1',
      status: 200,
      seconds: expect.any(Number) as number,
      user_agent: 'a wallet',
    });
    expect(line).not.toMatch(/secret-key|body\.of\.it/);
  });

  it.each(['common', 'json'])(
    'has one line, which a client can not break, for any request target (%s)',
    async (format) => {
      const { url, lines } = await open(format);
      const client = connect(Number(new URL(url).port), '127.0.0.1');
      client.write(
        `GET /"\\-${'x'.repeat(5_000)}"_ HTTP/1.1\r\nhost: x\r\nuser-agent: "\\\u00ff\r\nconnection: close\r\n\r\n`,
      );
      await once(client.resume(), 'close');
      const [line = '', ...others] = await lines(1);
      expect(others).toEqual([]);
      expect(line).toMatch(/^[\x20-\x7e\u00a1-\u00ff]{100,2500}$/);
      if (format === 'common') expect(line).toContain('"GET /\\"\\\\-xxx');
      else expect(JSON.parse(line)).toMatchObject({ url: expect.stringMatching(/^\/"\\-x+$/) as string });
    },
  );

  it('has the beginning of a long user agent', async () => {
    const { url, lines } = await open('json');
    await (await fetch(`${url}/live`, { headers: { 'user-agent': 'x'.repeat(2_000) } })).text();
    expect(JSON.parse((await lines(1))[0] ?? '')).toMatchObject({ user_agent: 'x'.repeat(1_024) });
  });

  it.each([
    ['GET /health HTTP/1.1\r\n', '/health'],
    ['OPTIONS * HTTP/1.1\r\nhost: x\r\n', '*'],
    ['GET http://[ HTTP/1.1\r\nhost: x\r\n', 'http://['],
  ])('has a line for a request that is refused for its form: %j', async (head, target) => {
    const { url, lines } = await open('json');
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    client.write(`${head}connection: close\r\n\r\n`);
    await once(client.resume(), 'close');
    expect(JSON.parse((await lines(1))[0] ?? '')).toMatchObject({ url: target, status: 400 });
  });

  it.each([
    ['another protocol', 'no HTTP\r\n\r\n', 400],
    ['a CONNECT request', 'CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n', 400],
    ['too large headers', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['bytes after a request', 'GET /live HTTP/1.1\r\nhost: x\r\n\r\nno HTTP\r\n\r\n', 400],
  ])('has a line for bytes that are no request: %s', async (_name, bytes, status) => {
    for (const format of ['json', 'common']) {
      await listener?.close();
      rmSync(path.join(folder, 'access.log'), { force: true });
      const { url, lines } = await open(format);
      const client = connect(Number(new URL(url).port), '127.0.0.1');
      client.write(bytes);
      await once(client.resume(), 'close');
      const count = bytes.includes('/live') ? 2 : 1;
      const line = (await lines(count)).find((each) => !each.includes('/live')) ?? '';
      if (format === 'common') expect(line).toMatch(new RegExp(`^127\\.0\\.0\\.1 - - \\[.*\\] "-" ${status} -$`));
      else expect(JSON.parse(line)).toEqual({ time: expect.any(String) as string, address: '127.0.0.1', status });
    }
  });

  it('has one line for a request whose body is refused', async () => {
    const registry = new Registry();
    const { url, lines } = await open('common', registry);
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    client.write(`POST ${ROUTES.getActions.path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`);
    await once(client.resume(), 'close');
    await (await fetch(`${url}/live`)).text();
    const seen = (await lines(2)).map((line) => /"[A-Z]+ (\S+) .*" (\S+)/.exec(line)?.slice(1));
    expect(seen).toEqual([
      [ROUTES.getActions.path, '400'],
      ['/live', '200'],
    ]);
    expect(await registry.getSingleMetricAsString('http_requests_total')).toMatch(/get_actions",status="4xx"} 1$/m);
  });

  it('has a line without a status when the client leaves before the response', async () => {
    const { url, lines } = await open('json');
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    client.write('POST /v1/history/get_actions HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
    await once(client, 'connect');
    setTimeout(() => client.destroy(), 50);
    const line = JSON.parse((await lines(1))[0] ?? '') as Record<string, unknown>;
    expect([line['url'], 'status' in line]).toEqual([ROUTES.getActions.path, false]);
  });

  it('has a line when a WebSocket ends', async () => {
    const { url, lines } = await open('common');
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    const handshake = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n';
    client.write(
      `GET ${STREAM.path} HTTP/1.1\r\nhost: x\r\n${handshake}sec-websocket-key: ${'A'.repeat(22)}==\r\n\r\n`,
    );
    await once(client, 'data');
    client.destroy();
    expect((await lines(1))[0]).toMatch(/"GET \/v1\/history\/stream HTTP\/1\.1" (101|404|503) /);
  });

  it('is refused at the start where its file can not be written', async () => {
    folder = path.join(folder, 'gone');
    const opened = () =>
      fixture.createGateway({
        environment: {
          HISTORY_GATEWAY__ACCESS_LOG: 'json',
          HISTORY_GATEWAY__ACCESS_LOG_FILE: path.join(folder, 'log'),
        },
      });
    expect(opened).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error);
    folder = path.dirname(folder);
  });

  it('goes with a metric of requests by key and endpoint', async () => {
    const registry = new Registry();
    const { url, lines } = await open('json', registry);
    for (let index = 0; index < 2; index++) await (await fetch(url + ROUTES.getActions.path, POST)).text();
    await (await fetch(url + ROUTES.getActions.path, { ...POST, headers: {} })).text();
    await lines(3);
    const text = await registry.getSingleMetricAsString('history_gateway_key_requests_total');
    expect(text).toContain('{key="gold",endpoint="get_actions"} 2');
    expect(text.match(/^history_gateway_key_requests_total\{/gm)).toHaveLength(1);
  });
});
