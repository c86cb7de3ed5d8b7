import { once } from 'node:events';
import { createServer } from 'node:http';
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
