import { Api } from './api.js';

it('the line for a terminal quotes its body for the shell', () => {
  const api = new Api('http://127.0.0.1:8888');
  const request = { path: '/v1/history/get_transaction', body: { id: "a'; rm -rf ~ '" } } as const;
  expect(api.toCurl(request)).toBe(
    `curl -s http://127.0.0.1:8888/v1/history/get_transaction -d '{"id":"a'\\''; rm -rf ~ '\\''"}'`,
  );
  expect(api.toCurl({ path: '/health' })).toBe('curl -s http://127.0.0.1:8888/health');
});
