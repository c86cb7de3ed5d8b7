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

it('actions come from the path at which the API counts rows', async () => {
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    response.end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = new Api({ url, healthUrl: `${url}/health`, actionsPath: '/v1/history/rows/get_actions' });
  for (const path of ['/v1/history/get_actions', '/v1/history/get_transaction'] as const)
    await api.send({ path, body: {} }, new AbortController().signal);
  server.close();
  expect(paths).toEqual(['/v1/history/rows/get_actions', '/v1/history/get_transaction']);
  expect(api.toCurl({ path: '/v1/history/get_actions' })).toBe(`curl -s ${url}/v1/history/rows/get_actions`);
});
