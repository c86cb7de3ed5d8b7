import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestJson } from './request-json';

describe('requestJson', () => {
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
  const limits = { method: 'POST' as const, timeoutMs: 300, maxBytes: 1024 };

  it('reads JSON in any number of pieces', async () => {
    listener = (request, response) => {
      response.write('{"method":"');
      setImmediate(() => response.end(`${request.method}"}`));
    };
    for (const method of ['GET', 'POST'] as const) {
      expect(await requestJson(url, { ...limits, method, timeoutMs: 60_000 })).toEqual({ method });
    }
  });

  it.each<[string, RequestListener]>([
    ['never responds', () => undefined],
    ['begins a response and does not end it', (_request, response) => void response.write('{')],
    ['sends too much', (_request, response) => response.end(JSON.stringify('x'.repeat(1024)))],
    ['sends without end', (_request, response) => void setInterval(() => response.write('xxxxxxxxxx'), 1).unref()],
    ['sends no JSON', (_request, response) => response.end('<html>')],
    ['redirects', (_request, response) => response.writeHead(302, { location: '/' }).end('{}')],
    ['closes the connection', (request) => request.socket.destroy()],
    ['closes the connection in the middle', (_request, response) => response.write('{', () => response.destroy())],
  ])('rejects when the server %s', async (_, behaviour) => {
    listener = behaviour;
    const startedAt = performance.now();
    await expect(requestJson(url, limits)).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
