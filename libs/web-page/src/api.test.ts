import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Api } from './api.js';

it('the line for a terminal quotes its body for the shell', () => {
  const api = new Api({ url: 'http://127.0.0.1:8888', healthUrl: 'http://127.0.0.1:8889/health' });
  const request = { path: '/v1/history/get_transaction', body: { id: "a'; rm -rf ~ '" } } as const;
  expect(api.toCurl(request)).toBe(
    `curl -s http://127.0.0.1:8888/v1/history/get_transaction -d '{"id":"a'\\''; rm -rf ~ '\\''"}'`,
  );
  expect(api.toCurl({ path: '/health' })).toBe('curl -s http://127.0.0.1:8889/health');
});

it('the line for a terminal does not show the API key', () => {
  const api = new Api({ url: 'http://127.0.0.1:8888', healthUrl: 'http://127.0.0.1:8888/health', apiKey: 'secret' });
  const line = api.toCurl({ path: '/v1/history/get_actions', body: {} });
  expect(line).toBe(`curl -s -H "x-api-key: $API_KEY" http://127.0.0.1:8888/v1/history/get_actions -d '{}'`);
});

it('requests go to the path at which the API counts rows, and carry the API key, except for /health', async () => {
  const received: [string | undefined, unknown][] = [];
  const server = createServer((request, response) => {
    received.push([request.url, request.headers['x-api-key']]);
    response.end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const actionsPath = '/v1/history/rows/get_actions';
  const api = new Api({ url, healthUrl: `${url}/health`, actionsPath, apiKey: 'secret' });
  for (const path of ['/v1/history/get_actions', '/v1/history/get_transaction', '/health'] as const)
    await api.send(path === '/health' ? { path } : { path, body: {} }, new AbortController().signal);
  server.close();
  expect(received).toEqual([
    [actionsPath, 'secret'],
    ['/v1/history/get_transaction', 'secret'],
    ['/health', undefined],
  ]);
  expect(api.toCurl({ path: '/v1/history/get_actions' })).toContain(` ${url}${actionsPath}`);
});

describe('responses that are not of the service', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function send(respond: RequestListener, signal = new AbortController().signal): Promise<unknown> {
    const server = createServer(respond);
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new Api({ url, healthUrl: url }).send({ path: '/v1/history/get_actions', body: {} }, signal);
  }

  it.each([
    [200, '<html>Log in</html>', 502, /is not that of the service/],
    [200, 'null', 502, /is not that of the service/],
    [200, '{"actions":[', 502, /is not that of the service/],
    [502, '<html>Bad gateway</html>', 502, /responds with status 502/],
    [400, '{"error":{}}', 400, /responds with status 400/],
    [403, '{"error":"forbidden"}', 403, /responds with status 403/],
    [400, '{"error":{"details":[],"what":"Wrong"}}', 400, /^Wrong$/],
  ])('are failures that say so: %d %s', async (status, body, shown, message) => {
    const sent = send((_request, response) => void response.writeHead(status).end(body));
    await expect(sent).rejects.toMatchObject({ status: shown, message: expect.stringMatching(message) as string });
  });

  it('and those that end in the middle are failures', async () => {
    const sent = send((_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{');
      setTimeout(() => response.destroy(), 20);
    });
    await expect(sent).rejects.toMatchObject({ status: 0 });
  });

  it('a view that is left does not wait for the rest of a response', async () => {
    const leaving = new AbortController();
    const sent = send((_request, response) => {
      response.writeHead(200).write('{');
      setTimeout(() => leaving.abort(new Error('left')), 20);
    }, leaving.signal);
    await expect(sent).rejects.toThrow('left');
  });
});
