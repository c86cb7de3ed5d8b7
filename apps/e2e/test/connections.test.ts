import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { ROUTES } from '@antelope-history/schemas';
import { type IndexedService, startIndexedService } from '@antelope-history/processes';
import { CheckedClient, exchange, openConnection } from '../src';

const PATH = ROUTES.getActions.path;
const BODY = '{"account_name":"alice","offset":1}';
const CLOSE = 'connection: close\r\n';

describe('connections to the gateway', () => {
  let service: IndexedService;
  let client: CheckedClient;
  let operations: CheckedClient;

  beforeAll(async () => {
    service = await startIndexedService(sampleFolder('leap-edge'));
    client = new CheckedClient(service.url);
    operations = new CheckedClient(service.operationsUrl);
  }, 60_000);
  afterAll(() => service.stop());

  const requestOf = (body: string, headers = '', path: string = PATH) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
  /** The pages that the gateway answers itself, at the port of clients and at that of operations. */
  const ownPages = (): [CheckedClient, string][] => [
    ...['/health', '/live', '/openapi.json', '/docs'].map((path): [CheckedClient, string] => [client, path]),
    ...['/health', '/live', '/metrics', '/openapi.json', '/docs', '/'].map((path): [CheckedClient, string] => [
      operations,
      path,
    ]),
  ];
  const healthy = async () => expect((await client.send('GET', '/health')).json).toMatchObject({ status: 'ok' });

  describe('methods', () => {
    it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('%s is refused with what is allowed', async (method) => {
      for (const { path, endpoint } of Object.values(ROUTES)) {
        const { status, headers, json } = await client.send(method, path);
        expect([status, headers.get('allow')]).toEqual([405, 'POST']);
        expect(json).toMatchObject({
          code: 405,
          message: 'Method Not Allowed',
          error: { code: 0, name: 'method_not_allowed', details: [{ method: endpoint }] },
        });
      }
    });

    it.each(['HEAD', 'TRACE', 'PROPFIND'])('%s is refused', async (method) => {
      const [answer] = await exchange(service.url, `${method} ${PATH} HTTP/1.1\r\nhost: x\r\n${CLOSE}\r\n`);
      expect([answer?.status, answer?.headers['allow']]).toEqual([405, 'POST']);
    });

    it('HEAD answers as GET does, without the body', async () => {
      for (const [at, path] of ownPages()) {
        const { status, text, headers } = await at.send('HEAD', path);
        expect([path, status, text]).toEqual([path, 200, '']);
        expect(headers.get('content-type')).toBe((await at.send('GET', path)).headers.get('content-type'));
      }
    });

    it('POST is refused where the gateway answers itself', async () => {
      for (const [at, path] of ownPages()) {
        const { status, headers } = await at.post(path, {});
        expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
      }
    });

    it('every method is refused where only the operations listener answers', async () => {
      for (const path of ['/metrics', '/']) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const { status, json } = await client.send(method, path);
          expect([path, method, status, json]).toMatchObject([path, method, 404, { error: { name: 'unknown_path' } }]);
        }
      }
    });

    it('OPTIONS lets pages of any origin call, with any header', async () => {
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
      const answer = await client.post(PATH, BODY, { origin: 'https://wallet.example' });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
    });
  });

  describe('request ids', () => {
    const idOf = async (path: string, sent?: string) =>
      (await client.post(path, BODY, sent === undefined ? {} : { 'x-request-id': sent })).headers.get('x-request-id');

    it("are the client's own, on answers and on errors", async () => {
      expect(await idOf(PATH, 'my id/7')).toBe('my id/7');
      expect(await idOf(ROUTES.getTransaction.path, 'refused')).toBe('refused');
      expect(await idOf('/v1/nothing', 'unknown')).toBe('unknown');
    });

    it('are made when there is none, or none that is fit to be logged', async () => {
      const made = await Promise.all([idOf(PATH), idOf(PATH), idOf(PATH, 'x'.repeat(129)), idOf(PATH, 'tab\there')]);
      for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
      expect(new Set(made).size).toBe(4);
    });
  });

  describe('the wire', () => {
    it('carries several requests at once, answered in their order', async () => {
      const bodies = [1, 2, 3, 4, 5].map((offset) => JSON.stringify({ offset }));
      const requests = bodies.map((body, index) => requestOf(body, index === 4 ? CLOSE : ''));
      const answers = await exchange(service.url, requests.join(''));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const counts = answers.map(({ body }) => (JSON.parse(body) as { actions: unknown[] }).actions.length);
      expect(counts).toEqual([1, 2, 3, 4, 5]);
    });

    it('goes on after a request that is refused', async () => {
      const requests = [requestOf('{bad'), requestOf(BODY, '', '/v1/nothing'), requestOf(BODY, CLOSE)];
      const statuses = (await exchange(service.url, requests.join(''))).map(({ status }) => status);
      expect(statuses).toEqual([400, 404, 200]);
    });

    it('takes bodies in chunks', async () => {
      const chunks = BODY.replaceAll(/./g, '1\r\n$&\r\n');
      const request = `POST ${PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n${CLOSE}\r\n${chunks}0\r\n\r\n`;
      const [answer] = await exchange(service.url, request);
      expect([answer?.status, answer?.body]).toEqual([200, (await client.post(PATH, BODY)).text]);
    });

    it('knows clients that ask before they send', async () => {
      const socket = await openConnection(service.url);
      socket.write(requestOf('', `expect: 100-continue\r\n${CLOSE}`).replace('length: 0', `length: ${BODY.length}`));
      const [interim] = (await once(socket, 'data')) as [Buffer];
      expect(interim.toString()).toMatch(/^HTTP\/1.1 100 /);
      socket.write(BODY);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /);
    });

    it.each([
      ['is not HTTP', 'hello\r\n\r\n', 400],
      ['is another version of it', `POST ${PATH} HTTP/9.9\r\nhost: x\r\n\r\n`, 400],
      ['has two lengths', `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 400],
      [
        'has a length and chunks',
        `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
        400,
      ],
      ['has a bad chunk', `POST ${PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n`, 400],
      ['has a header with a null byte', `POST ${PATH} HTTP/1.1\r\nhost: x\r\nx: \0\r\n\r\n`, 400],
      ['has no host', `POST ${PATH} HTTP/1.1\r\n${CLOSE}\r\n`, 400],
      ['has 20 KB of headers', `POST ${PATH} HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ])('refuses what %s', async (_, request, status) => {
      const [answer] = await exchange(service.url, request);
      expect(answer?.status).toBe(status);
      await healthy();
    });

    it('survives clients that go away at every point', async () => {
      const request = requestOf(JSON.stringify({ offset: 1000 }), 'accept-encoding: gzip\r\n');
      for (let sent = 1; sent <= request.length; sent += 7) {
        const socket = await openConnection(service.url);
        socket.write(request.slice(0, sent));
        if (sent % 2 === 0) await sleep(1);
        socket.destroy();
      }
      // And while the answer is on its way.
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
