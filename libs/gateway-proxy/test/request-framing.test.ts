import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { ROUTES } from '@antelope-history/routes';
import { GatewayFixture } from './gateway-fixture';
import { RecordingUpstream } from './recording-upstream';

/** A body that is itself a request, for a server that mistakes it for one. */
const BODY =
  'POST /v1/history/get_transaction HTTP/1.1\r\nhost: evil\r\nx-request-id: evil\r\ncontent-length: 0\r\n\r\n';
const LENGTH = `content-length: ${BODY.length}\r\n`;
const CHUNKED = 'transfer-encoding: chunked\r\n';
const SIZE = BODY.length.toString(16);
const CHUNKS = `${SIZE}\r\n${BODY}\r\n0\r\n\r\n`;
const HALF = BODY.length / 2;
const TWO_CHUNKS = `${Math.floor(HALF).toString(16)}\r\n${BODY.slice(0, HALF)}\r\n${Math.ceil(HALF).toString(16)}\r\n${BODY.slice(HALF)}\r\n0\r\n\r\n`;

interface Framing {
  name: string;
  headers: string;
  payload: string;
  /** The body as a correct server reads it; undefined: the request must be refused with 400. */
  body: string | undefined;
}

const FRAMINGS: Framing[] = [
  { name: 'no body', headers: '', payload: '', body: '' },
  { name: 'a length', headers: LENGTH, payload: BODY, body: BODY },
  { name: 'a length in another case', headers: LENGTH.toUpperCase(), payload: BODY, body: BODY },
  { name: 'a length of 0 and bytes that follow', headers: 'content-length: 0\r\n', payload: '\r\n', body: '' },
  { name: 'chunks', headers: CHUNKED, payload: CHUNKS, body: BODY },
  { name: 'two chunks', headers: CHUNKED, payload: TWO_CHUNKS, body: BODY },
  { name: 'a chunk extension', headers: CHUNKED, payload: CHUNKS.replace('\r\n', ';a="b"\r\n'), body: BODY },
  {
    name: 'trailers',
    headers: `${CHUNKED}trailer: x-y, x-request-id\r\n`,
    payload: `${SIZE}\r\n${BODY}\r\n0\r\nx-y: 1\r\nx-request-id: other\r\n\r\n`,
    body: BODY,
  },
  {
    name: 'a length among the trailers',
    headers: `${CHUNKED}trailer: content-length\r\n`,
    payload: `${SIZE}\r\n${BODY}\r\n0\r\ncontent-length: 5\r\n\r\n`,
    body: undefined,
  },
  { name: 'a length, then chunks', headers: LENGTH + CHUNKED, payload: CHUNKS, body: undefined },
  { name: 'chunks, then a length', headers: CHUNKED + LENGTH, payload: CHUNKS, body: undefined },
  { name: 'chunks and a length of 0', headers: `${CHUNKED}content-length: 0\r\n`, payload: CHUNKS, body: undefined },
  { name: 'two equal lengths', headers: LENGTH + LENGTH, payload: BODY, body: undefined },
  { name: 'two lengths', headers: `${LENGTH}content-length: 0\r\n`, payload: BODY, body: undefined },
  { name: 'a list of lengths', headers: `content-length: ${BODY.length}, 0\r\n`, payload: BODY, body: undefined },
  { name: 'a signed length', headers: `content-length: +${BODY.length}\r\n`, payload: BODY, body: undefined },
  { name: 'a hexadecimal length', headers: `content-length: 0x${SIZE}\r\n`, payload: BODY, body: undefined },
  { name: 'a negative length', headers: 'content-length: -1\r\n', payload: BODY, body: undefined },
  { name: 'a folded header', headers: `x-folded: 1\r\n 2\r\n${LENGTH}`, payload: BODY, body: undefined },
  { name: 'a space before the colon', headers: `transfer-encoding : chunked\r\n`, payload: CHUNKS, body: undefined },
  { name: 'an unknown encoding', headers: 'transfer-encoding: xchunked\r\n', payload: CHUNKS, body: undefined },
  { name: 'chunks inside gzip', headers: 'transfer-encoding: chunked, gzip\r\n', payload: CHUNKS, body: undefined },
  { name: 'the identity encoding', headers: 'transfer-encoding: identity\r\n', payload: CHUNKS, body: undefined },
  { name: 'two encodings', headers: `${CHUNKED}transfer-encoding: identity\r\n`, payload: CHUNKS, body: undefined },
  { name: 'a chunk size with a sign', headers: CHUNKED, payload: `+${CHUNKS}`, body: undefined },
  { name: 'a chunk size with 0x', headers: CHUNKED, payload: `0x${CHUNKS}`, body: undefined },
  {
    name: 'a chunk larger than its size field',
    headers: CHUNKED,
    payload: `1\r\n${BODY}\r\n0\r\n\r\n`,
    body: undefined,
  },
  { name: 'a bare line feed', headers: `x-y: 1\n${LENGTH}`, payload: BODY, body: undefined },
  {
    name: 'an upgrade',
    headers: `connection: upgrade\r\nupgrade: websocket\r\n${LENGTH}`,
    payload: BODY,
    body: BODY,
  },
  {
    name: 'an upgrade to HTTP/2',
    headers: 'connection: upgrade, http2-settings\r\nupgrade: h2c\r\n',
    payload: '',
    body: '',
  },
  { name: 'an expectation', headers: `expect: 100-continue\r\n${LENGTH}`, payload: BODY, body: BODY },
  {
    name: 'headers named in Connection',
    headers: `connection: content-length, x-request-id, host\r\n${LENGTH}`,
    payload: BODY,
    body: BODY,
  },
  {
    name: 'headers that name a client, a user or a server',
    headers: `cookie: a=b\r\nauthorization: Basic x\r\nx-forwarded-for: 10.9.8.7\r\nforwarded: for=1.2.3.4\r\nte: trailers\r\nproxy-authorization: Basic y\r\nx-http-method-override: DELETE\r\n${LENGTH}`,
    payload: BODY,
    body: BODY,
  },
];

const METHODS = ['POST', 'GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH', 'M-SEARCH'];

/** The exact bytes that the upstream has to receive for a request. */
function forwarded(upstream: string, method: string, path: string, id: string, body: string): string {
  const hasLength = method === 'POST' || body.length > 0;
  return [
    `${method} ${path} HTTP/1.1`,
    ...(hasLength ? [`content-length: ${body.length}`] : []),
    `x-request-id: ${id}`,
    `host: ${new URL(upstream).host}`,
    'Connection: keep-alive',
    '',
    body,
  ].join('\r\n');
}

/** Sends bytes, and returns everything received until the gateway closes the connection. */
async function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(bytes, 'latin1');
  return text(socket).catch(() => '');
}

/** Closes the connection after the requests before it. */
const LAST = 'GET /live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
const statusesOf = (responses: string) =>
  [...responses.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

describe('the gateway', () => {
  const fixture = new GatewayFixture();
  let upstream: RecordingUpstream;
  let upstreamUrl: string;
  let url: string;

  beforeAll(() => fixture.open());
  beforeEach(async () => {
    upstream = new RecordingUpstream();
    upstreamUrl = await upstream.open();
    const environment = {
      HISTORY_GATEWAY__HISTORY_API_URL: upstreamUrl,
      HISTORY_GATEWAY__CHAIN_API_URL: upstreamUrl,
      HISTORY_GATEWAY__CHAIN_NODE_URL: upstreamUrl,
    };
    url = await fixture.serve(fixture.createGateway({ environment }));
  });
  afterEach(() => upstream.close());
  afterAll(() => fixture.close());

  const expected = (path: string, id: string, body: string, method = 'POST') =>
    forwarded(upstreamUrl, method, path, id, body);

  /** Sends another client's request, which must get its own response. */
  async function expectHonestResponse(path: string): Promise<void> {
    const response = await fetch(url + path, { method: 'POST', headers: { 'x-request-id': 'honest' } });
    expect(await response.json()).toEqual({ line: `POST ${path} HTTP/1.1`, id: 'honest' });
  }

  describe.each([
    { path: ROUTES.getActions.path, taken: ['POST'], allow: 'POST' },
    { path: ROUTES.getInfo.path, taken: ['GET', 'HEAD', 'POST'], allow: 'GET, HEAD, POST' },
    { path: '/v1/chain/get_account', taken: ['GET', 'HEAD', 'POST'], allow: 'GET, HEAD, POST' },
  ])('for requests to $path', ({ path, taken, allow }) => {
    it.each(METHODS)('forwards the exact bytes of %s in every framing and of a later client', async (method) => {
      // Every OPTIONS request is answered as a CORS preflight.
      const refusal = method === 'OPTIONS' ? 204 : 405;
      for (const { name, headers, payload, body } of FRAMINGS) {
        upstream.bytes = '';
        const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\nx-request-id: mine\r\n${headers}\r\n`;
        const responses = await exchange(url, head + payload + LAST);
        const isTaken = taken.includes(method) && body !== undefined;
        const received = isTaken ? expected(path, 'mine', body, method) : '';
        expect([name, upstream.bytes]).toEqual([name, received]);
        const status = statusesOf(responses).find((code) => code !== 100);
        // A server that reads no body for a refused method may respond before it detects the wrong framing.
        if (isTaken) expect([name, status]).toEqual([name, 200]);
        else if (body !== undefined || status === refusal) expect([name, status]).toEqual([name, refusal]);
        else expect([name, status]).toEqual([name, 400]);
        if (status === 405) expect(responses.toLowerCase()).toContain(`allow: ${allow}\r\n`.toLowerCase());
        await expectHonestResponse(path);
        expect([name, upstream.bytes]).toEqual([name, received + expected(path, 'honest', '')]);
      }
    });

    it('forwards pipelined requests once and in order', async () => {
      const requests = Array.from({ length: 8 }, (_, index) => {
        const framing = index % 2 === 0 ? LENGTH : CHUNKED;
        const payload = index % 2 === 0 ? BODY : CHUNKS;
        return `POST ${path} HTTP/1.1\r\nhost: x\r\nx-request-id: ${index}\r\n${framing}\r\n${payload}`;
      });
      const responses = await exchange(url, requests.join('') + LAST);
      expect([...responses.matchAll(/"id":"(\d)"/g)].map(([, id]) => id).join('')).toBe('01234567');
      expect(upstream.bytes).toBe(requests.map((_, index) => expected(path, String(index), BODY)).join(''));
    });
  });

  it('forwards only the path of a target with a host, a query or a fragment', async () => {
    const { path } = ROUTES.getActions;
    for (const target of [`http://evil.example${path}`, `http://evil.example:1${path}?x=http://y`, `${path}?a=b#c`]) {
      upstream.bytes = '';
      await exchange(url, `POST ${target} HTTP/1.1\r\nhost: x\r\nx-request-id: mine\r\n\r\n${LAST}`);
      expect(upstream.bytes).toBe(expected(path, 'mine', ''));
    }
  });

  it.each([
    'CONNECT upstream:1 HTTP/1.1',
    'POST * HTTP/1.1',
    'POST //v1/chain/get_account HTTP/1.1',
    'POST /v1/chain/../producer/pause HTTP/1.1',
    'POST /v1/chain/get_account/../../producer/pause HTTP/1.1',
    'POST /v1/chain/%2e%2e/producer/pause HTTP/1.1',
    'POST /v1/chain/get_account%0d%0ax HTTP/1.1',
    'POST http://x/v1/producer/pause HTTP/1.1',
    'POST /v1/chain/get_account\\..\\x HTTP/1.1',
    'POST /v1/chain/ HTTP/1.1',
    'POST /v1/producer/pause?/v1/chain/get_account HTTP/1.1',
    'POST http://x?/v1/chain/get_account HTTP/1.1',
  ])('forwards nothing of %s', async (line) => {
    await exchange(url, `${line}\r\nhost: x\r\n\r\n${LAST}`);
    expect(upstream.bytes).toBe('');
  });

  it('forwards the query of a chain call, but no fragment', async () => {
    for (const [target, path] of [
      ['/v1/chain/get_account?a=b&c=//d?e', '/v1/chain/get_account?a=b&c=//d?e'],
      ['/v1/chain/get_account/?a', '/v1/chain/get_account?a'],
      ['http://y/v1/chain/get_account?a#b?c', '/v1/chain/get_account?a'],
      ['/v1/chain/get_account#?a', '/v1/chain/get_account'],
    ]) {
      upstream.bytes = '';
      await exchange(url, `GET ${target} HTTP/1.1\r\nhost: x\r\nx-request-id: mine\r\n\r\n${LAST}`);
      expect([target, upstream.bytes]).toEqual([target, expected(path as string, 'mine', '', 'GET')]);
    }
  });

  it('forwards the content type and encoding when they are plain text, and no body above the limit', async () => {
    const path = '/v1/chain/get_account';
    const post = (headers: Record<string, string>, body: string) =>
      fetch(url + path, { method: 'POST', headers: { 'x-request-id': 'mine', ...headers }, body });
    await post({ 'content-type': 'text/plain', 'content-encoding': 'gzip' }, '{}');
    expect(upstream.bytes).toContain('content-type: text/plain\r\n');
    expect(upstream.bytes).toContain('content-encoding: gzip\r\n');
    upstream.bytes = '';
    const limit = 2 * 1024 * 1024;
    expect((await post({}, 'x'.repeat(limit + 1))).status).toBe(413);
    expect(upstream.bytes).toBe('');
    expect((await post({}, 'x'.repeat(limit))).status).toBe(200);
  });

  it('forwards no incomplete body', async () => {
    const { path } = ROUTES.getActions;
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{"a"`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.destroy();
    await expectHonestResponse(path);
    expect(upstream.bytes).toBe(expected(path, 'honest', ''));
  });
});
