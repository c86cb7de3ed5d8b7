import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import request from 'supertest';
import { ROUTES } from '@antelope-history/routes';
import { Registry } from '@antelope-history/app-runtime';
import { GatewayFixture } from './gateway-fixture';

describe('the gateway', () => {
  const fixture = new GatewayFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());

  it.each(Object.values(ROUTES))('forwards $path with its body to the $group API', async ({ path, group: app }) => {
    const response = await request(fixture.createGateway())
      .post(`${path}/?x=1`)
      .type('text/plain')
      .send('{"a":[1,{}]}');
    expect(response.body).toMatchObject({ app, path, body: { a: [1, {}] } });
  });

  it("forwards an API's error response", async () => {
    const gateway = fixture.createGateway();
    const wrongMethod = await request(gateway).get(ROUTES.getActions.path);
    expect([wrongMethod.status, wrongMethod.headers['allow']]).toEqual([405, 'POST']);
    expect((await request(gateway).head(ROUTES.getActions.path)).status).toBe(405);
    const notJson = await request(gateway).post(ROUTES.getActions.path).send('{bad');
    expect(notJson.body).toMatchObject({ code: 400, error: { code: 3200006 } });
    const tooLarge = await request(gateway)
      .post(ROUTES.getActions.path)
      .send({ a: 'x'.repeat(1_000_000) });
    expect([tooLarge.status, tooLarge.body.code]).toEqual([413, 413]);
  });

  it('responds 404 to unknown paths, and to chain calls when no node is configured', async () => {
    const gateway = fixture.createGateway();
    for (const path of ['/documents', '/v1/chain/get_account', '/v1/history/nothing', '/v1/%ZZ']) {
      const response = await request(gateway).post(path).send({});
      expect([path, response.status, response.body.error.name]).toEqual([path, 404, 'unknown_path']);
    }
  });

  it('names the setting that serves other chain calls', async () => {
    const response = await request(fixture.createGateway()).post('/v1/chain/get_account').send({});
    expect(response.body.error.details[0].message).toContain('gateway.chain_node_url');
    const withNode = fixture.createGateway({ environment: { HISTORY_GATEWAY__CHAIN_NODE_URL: 'http://127.0.0.1:9' } });
    const unknown = await request(withNode).post('/v1/history/nothing').send({});
    expect(unknown.body.error.details[0].message).toBe('this path does not exist');
  });

  it('forwards the request id to the API and back', async () => {
    const kept = await request(fixture.createGateway())
      .post(ROUTES.getActions.path)
      .set('x-request-id', 'mine')
      .send({});
    expect([kept.headers['x-request-id'], kept.body.requestId]).toEqual(['mine', 'mine']);
    const made = await request(fixture.createGateway()).post(ROUTES.getActions.path).send({});
    expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.body.requestId).toBe(made.headers['x-request-id']);
  });

  it('allows cross-origin requests', async () => {
    const gateway = fixture.createGateway();
    const preflight = await request(gateway).options(ROUTES.getActions.path).set({
      origin: 'https://wallet.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,HEAD,POST',
      'access-control-allow-headers': 'content-type',
    });
    for (const path of [ROUTES.getActions.path, '/nowhere']) {
      const crossOrigin = await request(gateway).post(path).set('origin', 'https://wallet.example').send({});
      expect(crossOrigin.headers['access-control-allow-origin']).toBe('*');
    }
  });

  it('compresses large responses for clients that accept it', async () => {
    const large = { a: 'x'.repeat(10_000) };
    const compressed = await request(fixture.createGateway())
      .post(ROUTES.getActions.path)
      .set('accept-encoding', 'gzip')
      .send(large);
    expect([compressed.headers['content-encoding'], compressed.body.body]).toEqual(['gzip', large]);
    const plain = await request(fixture.createGateway())
      .post(ROUTES.getActions.path)
      .set('accept-encoding', 'identity')
      .send(large);
    expect([plain.headers['content-encoding'], plain.body.body]).toEqual([undefined, large]);
  });

  it('sends the same to clients that name no coding as to clients that accept none', async () => {
    const server = createServer(fixture.createGateway()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    /** The status, the headers without those that differ per response, and the body. */
    async function send(method: string, path: string, headers: Record<string, string>) {
      const sent = httpRequest({
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...headers, 'x-request-id': 'same' },
      });
      sent.end(method === 'POST' ? JSON.stringify({ a: 'x'.repeat(10_000) }) : undefined);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const stable = { ...response.headers, date: undefined };
      return [response.statusCode, stable, Buffer.concat(await response.toArray()).toString()];
    }
    try {
      for (const [method, path] of [
        ['POST', ROUTES.getActions.path],
        ['GET', ROUTES.getActions.path],
        ['POST', '/nowhere'],
      ] as const) {
        const withoutHeader = await send(method, path, {});
        expect(withoutHeader).toEqual(await send(method, path, { 'accept-encoding': 'identity' }));
        expect(withoutHeader[1]).toMatchObject({ vary: 'Accept-Encoding' });
      }
    } finally {
      server.close();
    }
  });

  describe('when an API is unavailable', () => {
    it('responds 503 with Retry-After and without the name of a host', async () => {
      const gateway = fixture.createGateway({
        environment: { HISTORY_GATEWAY__HISTORY_API_URL: 'http://127.0.0.1:9' },
      });
      const response = await request(gateway).post(ROUTES.getActions.path).send({});
      expect([response.status, response.headers['retry-after']]).toEqual([503, '5']);
      expect(response.body).toMatchObject({
        code: 503,
        error: { name: 'unavailable', details: [{ method: 'get_actions' }] },
      });
      expect(response.text).not.toMatch(/127\.0\.0\.1|ECONN/);
      expect((await request(gateway).post(ROUTES.getChainBlock.path).send({})).status).toBe(200);
    });

    it("aborts its response when the API's response is aborted", async () => {
      const broken = createServer((_incoming, response) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('{"half":', () => response.destroy());
      }).listen(0, '127.0.0.1');
      await once(broken, 'listening');
      const { port } = broken.address() as AddressInfo;
      const url = await fixture.serve(
        fixture.createGateway({ environment: { HISTORY_GATEWAY__HISTORY_API_URL: `http://127.0.0.1:${port}` } }),
      );
      const received = fetch(`${url}${ROUTES.getActions.path}`, { method: 'POST' }).then((response) => response.text());
      await expect(received).rejects.toThrow();
      broken.close();
    });
  });

  describe('with a chain node', () => {
    let environment: Record<string, string>;
    beforeAll(async () => {
      const node: RequestListener = (incoming, response) => {
        response.writeHead(500, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ node: incoming.url, method: incoming.method }));
      };
      environment = { HISTORY_GATEWAY__CHAIN_NODE_URL: await fixture.serve(node) };
    });

    it('forwards the other chain calls and the status of their responses', async () => {
      const gateway = fixture.createGateway({ environment });
      const response = await request(gateway).get('/v1/chain/get_account?x=1');
      expect([response.status, response.body]).toEqual([500, { node: '/v1/chain/get_account?x=1', method: 'GET' }]);
      expect((await request(gateway).post(ROUTES.getChainBlock.path).send({})).body.app).toBe('chain');
    });

    it.each([
      '/v1/chain/%2e%2e',
      '/v1/chain/a%2fb',
      '/v1/chain/get_account/x',
      '/v1/chain/%ZZ',
      '/v1/producer/pause',
      // Other spellings of our own endpoints.
      '/v1/chain/%67et_block',
      '/v1/chain/get%5fblock/',
      '/v1/chain/get_block%20',
      '/v1/chain/get_block%00',
      '/v1/chain/get_block%2f',
      '/v1/chain/GET_BLOCK',
      '/v1/chain/Get_block',
      '/V1/chain/get_block',
      '/v1/Chain/get_account',
      '/v1/%63hain/get_account',
      '/v1/chain//get_block',
      '/v1//chain/get_block',
      '//v1/chain/get_account',
      '/v1/chain/get_block//',
      '/v1/chain/get_block;x=1',
      '/v1/chain;x/get_block',
      '/v1/chain/;get_block',
      '/v1/chain/get_block.',
      '/v1/chain/get_block\\',
      'http://x/v1/chain/%67et_block',
    ])('forwards no other path: %s', async (path) => {
      expect(await statusOf(path)).toBe(404);
    });

    it.each(['', '/', '?x=1', '/?x=1', '#x'])('does not forward our own endpoint "get_block%s"', async (ending) => {
      expect(await statusOf(`/v1/chain/get_block${ending}`)).toBe(200);
      expect(await statusOf(`http://x/v1/chain/get_block${ending}`)).toBe(200);
    });

    /** The node responds 500. The raw path is sent over a socket, because HTTP clients would normalize it. */
    async function statusOf(path: string): Promise<number | undefined> {
      const { hostname, port } = new URL(await fixture.serve(fixture.createGateway({ environment })));
      const sent = httpRequest({ hostname, port, path, method: 'POST' }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    }
  });

  it('counts its responses', async () => {
    const registry = new Registry();
    await request(fixture.createGateway({ registry })).post(ROUTES.getActions.path).send({});
    const text = await registry.metrics();
    expect(text).toContain('http_requests_total{app="gateway",path="/v1/history/get_actions",status="2xx"} 1');
    expect(text).toContain('http_requests_total{app="gateway",path="/v1/chain/get_block",status="5xx"} 0');
  });
});
