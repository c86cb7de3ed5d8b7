import { once } from 'node:events';
import net from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import request from 'supertest';
import { HistoryError, type HealthResponse } from '@antelope-history/schemas';
import { Registry } from '../metrics';
import { createHttpApp } from './http-app';
import { jsonBodyOf, readJsonBody } from './json-body';
import { listen, type Listener } from './listen';
import { operationsRoutes } from '../operations/operations-routes';

const LIMIT = 64 * 1024;
const log = pino({ level: 'silent' });
const HEALTH: HealthResponse = {
  status: 'ok',
  version: '4.1.0',
  chain_id: null,
  first_block_num: null,
  state_complete: null,
  head_block_num: null,
  committed_block_num: null,
  last_irreversible_block_num: null,
  lag_blocks: null,
  committed_age_seconds: null,
  data_fields: {},
  components: {},
  incomplete_ranges: [],
};

function createEchoApp(registry = new Registry(), health = HEALTH) {
  return createHttpApp({
    name: 'echo',
    log,
    registry,
    routes: [
      {
        endpoint: 'echo',
        path: '/v1/echo',
        method: 'POST',
        handlers: [readJsonBody(LIMIT), (incoming, response) => void response.json(jsonBodyOf(incoming))],
      },
      {
        endpoint: 'fail',
        path: '/v1/fail',
        method: 'POST',
        handlers: [
          readJsonBody(LIMIT),
          async (incoming) => {
            if (jsonBodyOf(incoming)['how'] === 'store')
              throw new HistoryError('STORE_UNAVAILABLE', 'host db-7 is down');
            throw new Error('an internal detail');
          },
        ],
      },
      {
        endpoint: 'slow',
        path: '/v1/slow',
        method: 'POST',
        handlers: [(_incoming, response) => void setTimeout(() => response.json({ slow: true }), 300)],
      },
      {
        endpoint: 'stream',
        path: '/v1/stream',
        method: 'POST',
        handlers: [
          (_incoming, response) => {
            response.write('beginning');
            setTimeout(() => response.end('end'), 200);
          },
        ],
      },
      ...operationsRoutes(async () => health, registry),
    ],
  });
}

describe('an HTTP app', () => {
  let listener: Listener;
  beforeAll(async () => (listener = await listen(createEchoApp(), { host: '127.0.0.1', port: 0 })));
  afterAll(() => listener.close());

  /** Sends bytes and resolves with the response when the server closes the connection. */
  async function exchange(bytes: string): Promise<string> {
    const socket = net.connect(listener.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.write(bytes);
    await once(socket, 'close');
    return received;
  }

  async function postBytes(bytes: Buffer, headers: Record<string, string> = {}) {
    const response = await fetch(`${listener.url}/v1/echo`, { method: 'POST', body: bytes, headers });
    return { status: response.status, body: await response.json() };
  }

  it.each([
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'x',
  ])('reads a body as JSON with the content type %s', async (contentType) => {
    const response = await request(listener.url).post('/v1/echo').set('content-type', contentType).send('{"a":1}');
    expect([response.status, response.body]).toEqual([200, { a: 1 }]);
  });

  it.each(['{"a":1}', '{bad', 'x'.repeat(LIMIT + 1)])(
    'handles the exact path as the same path that only the router matches: %.10s',
    async (body) => {
      const results = ['/v1/echo', '/v1/echo/', '/v1/echo?b=1'].map(async (path) => {
        const response = await request(listener.url).post(path).set('x-request-id', 'same').type('json').send(body);
        const { date: _date, ...headers } = response.headers as Record<string, string>;
        return { status: response.status, headers, text: response.text };
      });
      const [exact, ...others] = await Promise.all(results);
      expect(exact?.headers).toMatchObject({ 'x-request-id': 'same', 'x-content-type-options': 'nosniff' });
      expect(others).toEqual([exact, exact]);
    },
  );

  it('gets messages with the methods of Express, and leaves their prototypes as they are', async () => {
    const classes: string[] = [];
    const app = createHttpApp({
      name: 'classes',
      log,
      registry: new Registry(),
      routes: [
        {
          endpoint: 'classes',
          path: '/classes',
          method: 'GET',
          handlers: [
            (incoming, response) => {
              for (const message of [incoming, response])
                classes.push((Object.getPrototypeOf(message) as object).constructor.name);
              response.status(201).json({ host: incoming.get('host') });
            },
          ],
        },
      ],
    });
    const served = await listen(app, { host: '127.0.0.1', port: 0 });
    const own = await request(served.url).get('/classes');
    await served.close();
    // `supertest` serves the app with a server of node:http, which has other classes.
    const other = await request(app).get('/classes').set('host', new URL(served.url).host);
    expect([own.status, own.body]).toEqual([201, { host: new URL(served.url).host }]);
    expect([other.status, other.body]).toEqual([own.status, own.body]);
    expect(classes.slice(0, 2)).toEqual([app.messages.IncomingMessage.name, app.messages.ServerResponse.name]);
    expect(classes.slice(2)).toEqual(classes.slice(0, 2));
  });

  it('runs the middleware once for each request, and counts it under its route', async () => {
    const registry = new Registry();
    const seen: string[] = [];
    const app = createHttpApp({
      name: 'counted',
      log,
      registry,
      middleware: [(incoming, _response, next) => next(void seen.push(incoming.url))],
      routes: [{ endpoint: 'a', path: '/a', method: 'POST', handlers: [(_, response) => void response.json({})] }],
    });
    for (const path of ['/a', '/a/', '/b']) await request(app).post(path);
    await request(app).get('/a');
    expect(seen).toEqual(['/a', '/a/', '/b', '/a']);
    const metrics = await registry.metrics();
    expect(metrics).toContain('http_requests_total{app="counted",path="/a",status="2xx"} 2');
    expect(metrics).toContain('http_requests_total{app="counted",path="/a",status="4xx"} 1');
    expect(metrics).toContain('http_requests_total{app="counted",path="unknown",status="4xx"} 1');
    expect(metrics).toContain('http_requests_in_flight{app="counted"} 0');
  });

  it('reads a body without content type, and a missing body as {}', async () => {
    const head = 'POST /v1/echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n';
    expect(await exchange(`${head}content-length: 7\r\n\r\n{"a":1}`)).toContain('{"a":1}');
    expect(await exchange(`${head}content-length: 0\r\n\r\n`)).toMatch(/200 OK[^]*\{\}$/);
    expect(await exchange(`${head}\r\n`)).toMatch(/200 OK[^]*\{\}$/);
  });

  it.each(['{bad', '[]', '"text"', '5', 'null', '\u{1f600}', '{"a":1}x', ' '])('rejects the body %j', async (body) => {
    const { status, body: sent } = await request(listener.url).post('/v1/echo').type('json').send(body);
    expect(status).toBe(400);
    expect(sent).toMatchObject({
      code: 400,
      message: 'Bad Request',
      error: { code: 3200006, name: 'invalid_http_request', details: [{ file: '', line_number: 0, method: 'echo' }] },
    });
  });

  it('rejects a body that is not UTF-8', async () => {
    const { status } = await postBytes(Buffer.from('7b2261223a22ff227d', 'hex'));
    expect(status).toBe(400);
  });

  it('accepts a body up to the limit and answers 413 above it, also for a compressed body', async () => {
    const bodyOf = (bytes: number) => Buffer.from(JSON.stringify({ a: 'x'.repeat(bytes - 8) }));
    expect((await postBytes(bodyOf(LIMIT))).status).toBe(200);
    const over = await postBytes(bodyOf(LIMIT + 1));
    expect([over.status, over.body]).toMatchObject([413, { code: 413, error: { name: 'body_too_large' } }]);
    const packed = await postBytes(gzipSync(bodyOf(10_000_000)), { 'content-encoding': 'gzip' });
    expect(packed.status).toBe(413);
  });

  it.each([10, 16, 17, 18, 22])('accepts brotli with a window of %d bits', async (bits) => {
    const params = { [constants.BROTLI_PARAM_LGWIN]: bits };
    const { body } = await postBytes(brotliCompressSync('{"a":1}', { params }), { 'content-encoding': 'br' });
    expect(body).toEqual({ a: 1 });
  });

  it.each([23, 24])('rejects brotli with a window of %d bits, which the decoder would fill', async (bits) => {
    const params = { [constants.BROTLI_PARAM_LGWIN]: bits };
    const zeros = brotliCompressSync(Buffer.alloc(2 ** bits), { params });
    const { status, body } = await postBytes(zeros, { 'content-encoding': 'br' });
    expect([status, body]).toMatchObject([
      400,
      { error: { details: [{ message: expect.stringContaining('at most 22 bits') }] } },
    ]);
  });

  it('accepts gzip, and rejects other or broken encodings with a reason', async () => {
    for (const encoding of ['gzip', 'x-gzip']) {
      const gzipped = await postBytes(gzipSync('{"a":1}'), { 'content-encoding': encoding });
      expect(gzipped.body).toEqual({ a: 1 });
    }
    const broken = await postBytes(Buffer.from('not gzip'), { 'content-encoding': 'gzip' });
    expect(broken.status).toBe(400);
    expect(broken.body).toMatchObject({
      error: { details: [{ message: 'content-encoding: send a body that is gzip, or leave the header out' }] },
    });
    const other = await postBytes(Buffer.from('{}'), { 'content-encoding': 'compress' });
    expect(other.body).toMatchObject({
      error: { details: [{ message: expect.stringContaining('gzip, deflate, br') }] },
    });
  });

  it.each(['get', 'put', 'delete', 'options', 'head', 'patch'] as const)(
    'answers 405 with Allow to %s',
    async (method) => {
      const response = await request(listener.url)[method]('/v1/echo');
      expect([response.status, response.headers['allow']]).toEqual([405, 'POST']);
      if (method !== 'head') expect(response.body).toMatchObject({ code: 405, error: { name: 'method_not_allowed' } });
    },
  );

  it.each(['/', '/v1/echo/x', '/v1/Echo', '/v1/echo%ZZ', '/%', '/v1//echo', '/v1/echo%2f', '/..%2f..%2fetc'])(
    'answers 404 to the unknown path %s',
    async (path) => {
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
      expect(await exchange(head)).toMatch(/404 Not Found[^]*"name":"unknown_path"/);
    },
  );

  it('ignores a trailing slash and a query in the path', async () => {
    expect((await request(listener.url).post('/v1/echo/?a=1&a[b]=2').send({ a: 1 })).body).toEqual({ a: 1 });
  });

  it('reveals no internals when it fails', async () => {
    const internal = await request(listener.url).post('/v1/fail').send({});
    expect(internal.body).toEqual({
      code: 500,
      message: 'Internal Server Error',
      error: {
        code: 0,
        name: 'internal',
        what: 'Internal error',
        details: [{ message: 'Internal error', file: '', line_number: 0, method: 'fail' }],
      },
    });
    const unavailable = await request(listener.url).post('/v1/fail').send({ how: 'store' });
    expect([unavailable.status, unavailable.headers['retry-after'], unavailable.body.error.name]).toEqual([
      503,
      '5',
      'unavailable',
    ]);
    expect(unavailable.text).not.toContain('db-7');
  });

  it('keeps a valid request id and replaces others', async () => {
    const idFor = async (id: string) =>
      (await request(listener.url).post('/v1/echo').set('x-request-id', id).send({})).headers['x-request-id'];
    expect(await idFor('client-7')).toBe('client-7');
    expect(await idFor('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idFor('caf\u00e9')).toMatch(/^[0-9a-f-]{36}$/);
    expect((await request(listener.url).get('/nowhere')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('sends errors of the same shape for bytes that are not HTTP', async () => {
    expect(await exchange('nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 Bad Request[^]*"code":3200006/);
    const bigHeader = `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`;
    expect(await exchange(bigHeader)).toMatch(/^HTTP\/1.1 431 [^]*"name":"headers_too_large"/);
  });

  it('does not write a second response into a response in progress', async () => {
    const socket = net.connect(listener.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
      socket.write('nonsense\r\n\r\n');
    });
    socket.write('POST /v1/stream HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
    await once(socket, 'close');
    expect(received).toMatch(/beginning/);
    expect(received.match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it('survives a client that disconnects in the middle of its body', async () => {
    const socket = net.connect(listener.port, '127.0.0.1');
    socket.write('POST /v1/echo HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"a"');
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect((await request(listener.url).post('/v1/echo').send({ a: 1 })).status).toBe(200);
  });

  it('rejects an address that is in use', async () => {
    const second = listen(createEchoApp(), { host: '127.0.0.1', port: listener.port });
    await expect(second).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('the operations routes', () => {
  it('serve /health with the status code of its state, /live and /metrics', async () => {
    const app = createEchoApp(new Registry(), { ...HEALTH, status: 'degraded' });
    expect((await request(app).get('/health')).body.status).toBe('degraded');
    expect((await request(app).get('/live')).status).toBe(200);
    expect((await request(app).post('/live')).headers['allow']).toBe('GET, HEAD');
    const down = await request(createEchoApp(new Registry(), { ...HEALTH, status: 'down' })).get('/health');
    expect([down.status, down.body.status]).toEqual([503, 'down']);
  });

  it('export every series from the start, and count by path and status class', async () => {
    const app = createEchoApp();
    const before = (await request(app).get('/metrics')).text;
    expect(before).toContain('http_requests_total{app="echo",path="/v1/echo",status="5xx"} 0');
    await request(app).post('/v1/echo').send({});
    await request(app).post('/anything/at/all').send({});
    const after = (await request(app).get('/metrics')).text;
    expect(after).toContain('http_requests_total{app="echo",path="/v1/echo",status="2xx"} 1');
    expect(after).toContain('http_requests_total{app="echo",path="unknown",status="4xx"} 1');
    expect(after).toContain('http_request_duration_seconds_count{app="echo",path="/v1/echo"} 1');
  });

  it('share a registry between several apps of a process', async () => {
    const registry = new Registry();
    createEchoApp(registry);
    expect(() => createEchoApp(registry)).not.toThrow();
  });
});

describe('closing the listener of an app', () => {
  it('completes the requests in progress and accepts no more', async () => {
    const listener = await listen(createEchoApp(), { host: '127.0.0.1', port: 0 });
    const inFlight = fetch(`${listener.url}/v1/slow`, { method: 'POST' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await listener.close();
    expect(await (await inFlight).json()).toEqual({ slow: true });
    await expect(fetch(`${listener.url}/live`)).rejects.toThrow();
  });

  it('does not wait for connections that have sent nothing', async () => {
    const listener = await listen(createEchoApp(), { host: '127.0.0.1', port: 0 });
    const silent = net.connect(listener.port, '127.0.0.1');
    await once(silent, 'connect');
    const startedAt = performance.now();
    await Promise.all([listener.close(), once(silent, 'close')]);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it('lets a busy connection finish, with connection: close in its last response', async () => {
    const listener = await listen(createEchoApp(), { host: '127.0.0.1', port: 0 });
    const socket = net.connect(listener.port, '127.0.0.1');
    let responses = '';
    socket.on('data', (chunk: Buffer) => (responses += chunk.toString()));
    const slowRequest = 'POST /v1/slow HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n';
    socket.write(slowRequest);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const closed = listener.close();
    socket.write(slowRequest);
    await Promise.all([closed, once(socket, 'close')]);
    const [, first, second] = responses.split('HTTP/1.1 200 OK');
    expect([first, second]).toEqual([
      expect.stringMatching(/keep-alive/i),
      expect.stringMatching(/connection: close/i),
    ]);
  });
});
