import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROUTES } from '@antelope-history/routes';
import { type IndexedService, startIndexedService } from '@antelope-history/processes';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { CheckedClient, exchange, openConnection, settledHealth } from '../src';

const PATH = ROUTES.getActions.path;
const BODY = '{"account_name":"alice","offset":1}';
const CLOSE = 'connection: close\r\n';

describe('HTTP connections to the gateway', () => {
  let service: IndexedService;
  let client: CheckedClient;
  let operations: CheckedClient;

  beforeAll(async () => {
    service = await startIndexedService(sampleFolder('leap-edge'));
    client = new CheckedClient(service.url);
    operations = new CheckedClient(service.operationsUrl);
    await settledHealth(service);
  });
  afterAll(() => service.stop());

  const requestOf = (body: string, headers = '', path: string = PATH) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
  /** The pages that the gateway serves itself, on the public listener and on the operations listener. */
  const ownPages = (): [CheckedClient, string][] => [
    ...['/health', '/live', '/openapi.json', '/docs'].map((path): [CheckedClient, string] => [client, path]),
    ...['/health', '/live', '/metrics', '/openapi.json', '/docs', '/'].map((path): [CheckedClient, string] => [
      operations,
      path,
    ]),
  ];
  const healthy = async () => expect((await client.send('GET', '/health')).json).toMatchObject({ status: 'ok' });

  describe('methods', () => {
    it.each(['GET', 'PUT', 'PATCH', 'DELETE'])(
      '%s is refused with the allowed methods and a JSON error',
      async (method) => {
        for (const { path, endpoint, method: allowed } of Object.values(ROUTES)) {
          if (allowed !== 'POST' && method === 'GET') continue;
          const { status, headers, json } = await client.send(method, path);
          expect([status, headers.get('allow')]).toEqual([405, allowed === 'POST' ? 'POST' : 'GET, HEAD, POST']);
          expect(json).toMatchObject({
            code: 405,
            message: 'Method Not Allowed',
            error: { code: 0, name: 'method_not_allowed', details: [{ method: endpoint }] },
          });
        }
      },
    );

    it.each(['HEAD', 'TRACE', 'PROPFIND'])('%s is refused with the allowed methods', async (method) => {
      const [response] = await exchange(service.url, `${method} ${PATH} HTTP/1.1\r\nhost: x\r\n${CLOSE}\r\n`);
      expect([response?.status, response?.headers['allow']]).toEqual([405, 'POST']);
    });

    it('HEAD for a page of the gateway returns the headers of GET without a body', async () => {
      for (const [at, path] of ownPages()) {
        const { status, text, headers } = await at.send('HEAD', path);
        expect([path, status, text]).toEqual([path, 200, '']);
        expect(headers.get('content-type')).toBe((await at.send('GET', path)).headers.get('content-type'));
      }
    });

    it('POST is refused for the pages that the gateway serves itself', async () => {
      for (const [at, path] of ownPages()) {
        const { status, headers } = await at.post(path, {});
        expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
      }
    });

    it('every method is refused on the public listener for pages of the operations listener', async () => {
      for (const path of ['/metrics', '/']) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const { status, json } = await client.send(method, path);
          expect([path, method, status, json]).toMatchObject([path, method, 404, { error: { name: 'unknown_path' } }]);
        }
      }
    });

    it('OPTIONS allows requests from every origin with any header', async () => {
      const { status, headers } = await client.send('OPTIONS', PATH, {
        headers: {
          origin: 'https://wallet.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-request-id',
        },
      });
      expect(status).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-methods')).toContain('POST');
      expect(headers.get('access-control-allow-headers')).toBe('content-type,x-request-id');
      const response = await client.post(PATH, BODY, { origin: 'https://wallet.example' });
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-expose-headers')).toContain('x-request-id');
    });
  });

  describe('request ids', () => {
    const idOf = async (path: string, sent?: string) =>
      (await client.post(path, BODY, sent === undefined ? {} : { 'x-request-id': sent })).headers.get('x-request-id');

    it('of the client are returned in responses and in errors', async () => {
      expect(await idOf(PATH, 'my id/7')).toBe('my id/7');
      expect(await idOf(ROUTES.getTransaction.path, 'refused')).toBe('refused');
      expect(await idOf('/v1/nothing', 'unknown')).toBe('unknown');
    });

    it('are generated when the client sends none, or one that is too long or has control characters', async () => {
      const made = await Promise.all([idOf(PATH), idOf(PATH), idOf(PATH, 'x'.repeat(129)), idOf(PATH, 'tab\there')]);
      for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
      expect(new Set(made).size).toBe(4);
    });
  });

  it('are counted and limited', async () => {
    const { text } = await operations.send('GET', '/metrics');
    expect(text).toContain('history_gateway_connections_refused_total{reason="client"} 0');
  });

  describe('a connection', () => {
    it('serves pipelined requests in order', async () => {
      const bodies = [1, 2, 3, 4, 5].map((offset) => JSON.stringify({ offset }));
      const requests = bodies.map((body, index) => requestOf(body, index === 4 ? CLOSE : ''));
      const responses = await exchange(service.url, requests.join(''));
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const counts = responses.map(({ body }) => (JSON.parse(body) as { actions: unknown[] }).actions.length);
      expect(counts).toEqual([1, 2, 3, 4, 5]);
    });

    it('continues after a refused request', async () => {
      const requests = [requestOf('{bad'), requestOf(BODY, '', '/v1/nothing'), requestOf(BODY, CLOSE)];
      const statuses = (await exchange(service.url, requests.join(''))).map(({ status }) => status);
      expect(statuses).toEqual([400, 404, 200]);
    });

    it('accepts a chunked request body', async () => {
      const chunks = BODY.replaceAll(/./g, '1\r\n$&\r\n');
      const request = `POST ${PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n${CLOSE}\r\n${chunks}0\r\n\r\n`;
      const [response] = await exchange(service.url, request);
      expect([response?.status, response?.body]).toEqual([200, (await client.post(PATH, BODY)).text]);
    });

    it('sends 100 Continue to a client that expects it', async () => {
      const socket = await openConnection(service.url);
      socket.write(requestOf('', `expect: 100-continue\r\n${CLOSE}`).replace('length: 0', `length: ${BODY.length}`));
      const [interim] = (await once(socket, 'data')) as [Buffer];
      expect(interim.toString()).toMatch(/^HTTP\/1.1 100 /);
      socket.write(BODY);
      const [response] = (await once(socket, 'data')) as [Buffer];
      expect(response.toString()).toMatch(/^HTTP\/1.1 200 /);
    });

    it.each([
      ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
      ['an unknown HTTP version', `POST ${PATH} HTTP/9.9\r\nhost: x\r\n\r\n`, 400],
      ['two lengths', `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 400],
      [
        'a length and chunks',
        `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
        400,
      ],
      ['an invalid chunk', `POST ${PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n`, 400],
      ['a header with a null byte', `POST ${PATH} HTTP/1.1\r\nhost: x\r\nx: \0\r\n\r\n`, 400],
      ['no host', `POST ${PATH} HTTP/1.1\r\n${CLOSE}\r\n`, 400],
      ['20 KB of headers', `POST ${PATH} HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ])('refuses a request with %s', async (_, request, status) => {
      const [response] = await exchange(service.url, request);
      expect(response?.status).toBe(status);
      await healthy();
    });

    it('may be closed by the client at any moment without an effect on other clients', async () => {
      const request = requestOf(JSON.stringify({ offset: 1000 }), 'accept-encoding: gzip\r\n');
      for (let sent = 1; sent <= request.length; sent += 7) {
        const socket = await openConnection(service.url);
        socket.write(request.slice(0, sent));
        if (sent % 2 === 0) await sleep(1);
        socket.destroy();
      }
      // The client disconnects while it receives the response.
      const whole = await Promise.all(Array.from({ length: 20 }, () => openConnection(service.url)));
      for (const socket of whole) {
        socket.write(request);
        await once(socket, 'data');
        socket.destroy();
      }
      await healthy();
      expect((await client.post(PATH, BODY)).status).toBe(200);
    });
  });
});
