import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchJson } from './fetch-json';

describe('fetchJson', () => {
  let listener: RequestListener;
  const server = createServer((request, response) => listener(request, response));
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const limits = { timeoutMs: 300, maxBytes: 1024 };

  it('reads JSON in any number of pieces', async () => {
    listener = (request, response) => {
      response.write('{"method":"');
      setImmediate(() => response.end(`${request.method}"}`));
    };
    expect(await fetchJson(url, { ...limits, timeoutMs: 60_000 })).toEqual({ method: 'POST' });
  });

  it.each<[string, RequestListener]>([
    ['never responds', () => undefined],
    ['begins a response and does not end it', (_request, response) => void response.write('{')],
    ['sends too much', (_request, response) => response.end(JSON.stringify('x'.repeat(1024)))],
    ['sends without end', (_request, response) => void setInterval(() => response.write('xxxxxxxxxx'), 1).unref()],
    ['sends no JSON', (_request, response) => response.end('<html>')],
    ['redirects', (_request, response) => response.writeHead(302, { location: '/' }).end()],
  ])('rejects when the server %s', async (_, behaviour) => {
    listener = behaviour;
    const startedAt = performance.now();
    await expect(fetchJson(url, limits)).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
