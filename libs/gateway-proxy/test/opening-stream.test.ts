import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, type Listener, Registry } from '@antelope-history/app-runtime';
import { STREAM } from '@antelope-history/routes';
import { closeAfterEach } from './close-after-each';
import { GatewayFixture } from './gateway-fixture';

describe('a stream that the gateway opens', () => {
  const fixture = new GatewayFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());

  const { servers, listeners } = closeAfterEach();

  /** A history API that handles requests as told. */
  async function startApi(handle: RequestListener): Promise<string> {
    const server = createServer(handle).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function serve(historyApiUrl: string, registry = new Registry()): Promise<Listener> {
    const environment = { HISTORY_GATEWAY__HISTORY_API_URL: historyApiUrl };
    const gateway = fixture.createGateway({ environment, registry });
    const listener = await listen(gateway, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    return listener;
  }

  it('is no request in progress when it has begun', async () => {
    const api = await startApi((_request, response) => void response.writeHead(200).write('event: head\n\n'));
    const registry = new Registry();
    const { url } = await serve(api, registry);
    const abort = new AbortController();
    await fetch(url + STREAM.path, { signal: abort.signal });
    const metrics = await registry.metrics();
    expect(metrics).toContain('http_requests_in_flight{app="gateway"} 0');
    expect(metrics).toContain(`http_requests_total{app="gateway",path="${STREAM.path}",status="2xx"} 1`);
    abort.abort();
  });

  it('is known to the API by the id that the client sent', async () => {
    const ids: (string | string[] | undefined)[] = [];
    const api = await startApi(({ headers }, response) => {
      ids.push(headers['x-request-id']);
      response.end();
    });
    const { url } = await serve(api);
    const response = await fetch(url + STREAM.path, { headers: { 'x-request-id': 'mine' } });
    expect([response.headers.get('x-request-id'), ids]).toEqual(['mine', ['mine']]);
  });

  it('is opened at no API when its client left while the APIs were checked', async () => {
    const asked: (string | undefined)[] = [];
    const api = () =>
      startApi(({ url }) => {
        asked.push(url);
      });
    const { url } = await serve(`${await api()},${await api()}`);
    const abort = new AbortController();
    const opening = fetch(url + STREAM.path, { signal: abort.signal });
    while (asked.length < 2) await sleep(5);
    abort.abort();
    await expect(opening).rejects.toThrow();
    // A request waits for the first check for half a second.
    await sleep(700);
    expect(asked).toEqual(['/health', '/health']);
  });

  it('ends in order when the gateway stops while the API opens it', async () => {
    let waiting: ServerResponse | undefined;
    const api = await startApi((_request, response) => {
      waiting = response;
    });
    const listener = await serve(api);
    const opening = fetch(listener.url + STREAM.path);
    while (!waiting) await sleep(5);
    const closing = listener.close();
    await sleep(50);
    waiting.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: head\n\n');
    const startedAt = performance.now();
    await (await opening).text();
    await closing;
    // At five seconds, the gateway cuts the connections that are left.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
