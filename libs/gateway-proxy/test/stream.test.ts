import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { createLogger, listen, type Listener, stopSignal, streamChargeOf } from '@antelope-history/app-runtime';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { ROUTES, STREAM } from '@antelope-history/routes';
import { readEventStream, type ServerSentEvent } from '@antelope-history/test-support/event-stream';
import { closeAfterEach } from './close-after-each';
import { CHAIN_FACTS, GatewayFixture } from './gateway-fixture';

const HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store, no-transform' };

/** Sockets need all but the timers. */
const NOT_FAKED = ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] as const;

describe('the stream of actions through the gateway', () => {
  const fixture = new GatewayFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());

  afterEach(() => void jest.useRealTimers());
  const { servers, listeners } = closeAfterEach();

  /** A history API that handles requests as told. */
  async function startApi(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    const server = createServer(handle).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function serve(
    historyApiUrl: string,
    environment: Record<string, string> = {},
    settings: { now?: () => number } = {},
  ): Promise<Listener> {
    const gateway = fixture.createGateway({
      ...settings,
      environment: { HISTORY_GATEWAY__HISTORY_API_URL: historyApiUrl, ...environment },
    });
    const listener = await listen(gateway, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    return listener;
  }

  const eventText = (id: number): string => `event: head\nid: ${id}\ndata: {"block_num":${id}}\n\n`;

  it('passes each event on when it comes, with the query and the cursor', async () => {
    const asked: (string | undefined)[] = [];
    let response: ServerResponse | undefined;
    const api = await startApi((request, answer) => {
      asked.push(request.url, request.headers['last-event-id'] as string);
      response = answer.writeHead(200, HEADERS);
      response.write(eventText(1));
    });
    const { url } = await serve(api);
    const abort = new AbortController();
    const ids: string[] = [];
    const read = async (): Promise<void> => {
      const options = { lastEventId: 'cursor', signal: abort.signal };
      for await (const { id } of readEventStream(`${url}${STREAM.path}?account_name=alice`, options)) {
        ids.push(id);
        if (id === '3') {
          abort.abort();
          return;
        }
        response?.write(eventText(Number(id) + 1));
      }
    };
    await read();
    expect([ids, asked]).toEqual([
      ['1', '2', '3'],
      [`${STREAM.path}?account_name=alice`, 'cursor'],
    ]);
    // The API is told that the client left.
    while (!response?.destroyed) await sleep(5);
  });

  it('is charged for what it sends, and cut when the client has used up its cost', async () => {
    const api = await startApi((_request, response) => {
      response.writeHead(200, HEADERS);
      const timer = setInterval(() => response.write(`data: ${'x'.repeat(64 * 1024)}\n\n`), 20);
      response.once('close', () => clearInterval(timer));
    });
    const { url } = await serve(api, { HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '50' }, { now: () => 60_000 });
    const response = await fetch(url + STREAM.path);
    let bytes = 0;
    const read = async (): Promise<void> => {
      for await (const part of response.body ?? []) bytes += (part as Uint8Array).length;
    };
    await expect(read()).rejects.toThrow('terminated');
    expect(bytes).toBeGreaterThan(49 * 64 * 1024);
    const refused = await fetch(url + STREAM.path);
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('units of cost')]);
  });

  // It is charged each second, and at its end.
  it.each([0, 1_200])('is charged once for what it sent %i ms before its client left', async (staysMs) => {
    const events = `data: ${'x'.repeat(10 * 64 * 1024)}\n\n`;
    const api = await startApi((_request, response) => void response.writeHead(200, HEADERS).write(events));
    const gateway = fixture.createGateway({
      environment: { HISTORY_GATEWAY__HISTORY_API_URL: api, HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '50' },
      now: () => 60_000,
    });
    let hasLeft = (): void => undefined;
    const left = new Promise<void>((resolve) => (hasLeft = resolve));
    const app: RequestListener = (request, response) => {
      response.once('close', hasLeft);
      gateway(request, response);
    };
    const listener = await listen(Object.assign(app, { messages: gateway.messages }), { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    const { body } = await fetch(listener.url + STREAM.path);
    let bytes = 0;
    for await (const part of body ?? []) {
      bytes += (part as Uint8Array).length;
      if (bytes < events.length) continue;
      await sleep(staysMs);
      break;
    }
    await left;
    // The request itself costs one unit, and each 64 KiB another one.
    expect((await fetch(`${listener.url}/live`)).headers.get('ratelimit')).toContain('"cost";r=39;');
  });

  it('is charged for the costs that the API reports, for which only a gateway asks', async () => {
    const asked: unknown[] = [];
    const api = await startApi((request, response) => {
      asked.push(request.headers['x-report-cost']);
      response.writeHead(200, HEADERS).write(`${eventText(1)}:co`);
      const parts = ['st 4', '9\n\n', ':cost 1\n\n', 'data: ":cost 1000"\n\n'];
      const timer = setInterval(() => response.write(parts.shift() ?? ':\n\n'), 20);
      response.once('close', () => clearInterval(timer));
    });
    const now = () => 60_000;
    const free = await serve(api);
    const stays = await fetch(free.url + STREAM.path, { headers: { 'x-report-cost': '1' } });
    await stays.body?.cancel();
    const { url } = await serve(api, { HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '50' }, { now });
    await expect((await fetch(url + STREAM.path)).text()).rejects.toThrow('terminated');
    const refused = await fetch(url + STREAM.path);
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('units of cost')]);
    const roomy = await serve(api, { HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '52' }, { now });
    const left = await fetch(roomy.url + STREAM.path, { signal: AbortSignal.timeout(1_500) });
    await expect(left.text()).rejects.toThrow('timeout');
    expect(asked).toEqual([undefined, '1', '1']);
    const inner = await serve(api, { HISTORY_GATEWAY__TRUSTED_PROXIES: '127.0.0.1' });
    const outer = await fetch(inner.url + STREAM.path, { headers: { 'x-report-cost': '1' } });
    await outer.body?.cancel();
    expect(asked[3]).toBe('1');
    // The request itself costs one unit, and the stream 50.
    const quota = async () => (await fetch(`${roomy.url}/live`)).headers.get('ratelimit');
    expect(await quota()).toContain('"cost";r=1;');
  });

  it('is charged for the work of an API of the same process, also for what ends after the client has left', async () => {
    const work: ((cost: number) => void)[] = [];
    const gateway = fixture.createGateway({
      now: () => 60_000,
      environment: { HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '50' },
      localApis: {
        responders: new Map(
          Object.values(ROUTES).map(({ path }) => [path, () => Promise.reject(new Error('not requested'))] as const),
        ),
        readHealth: async () => ({ ...CHAIN_FACTS, status: 'ok' }),
        stream: (_request, response) => {
          work.push((cost) => streamChargeOf(response)?.(cost));
          response.writeHead(200, HEADERS).write(eventText(1));
        },
      },
    });
    const listener = await listen(gateway, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    const abort = new AbortController();
    await fetch(listener.url + STREAM.path, { signal: abort.signal });
    abort.abort();
    await sleep(100);
    work[0]?.(40);
    const second = await fetch(listener.url + STREAM.path);
    work[1]?.(9);
    await expect(second.text()).rejects.toThrow('terminated');
    expect((await fetch(listener.url + STREAM.path)).status).toBe(429);
  });

  it('keeps the path of the address of the API', async () => {
    const paths: (string | undefined)[] = [];
    const api = await startApi((request, response) => {
      paths.push(request.url);
      response.writeHead(200, HEADERS).end(eventText(1));
    });
    for (const address of [`${api}/eos`, `${api}/eos/`, api]) {
      const { url } = await serve(address);
      await (await fetch(`${url}${STREAM.path}?account_name=alice`)).text();
    }
    const target = `${STREAM.path}?account_name=alice`;
    expect(paths).toEqual([`/eos${target}`, `/eos${target}`, target]);
  });

  it('leaves nothing behind of a stream whose client left', async () => {
    const api = await startApi((_request, response) => void response.writeHead(200, HEADERS).write(eventText(1)));
    const gateway = fixture.createGateway({ environment: { HISTORY_GATEWAY__HISTORY_API_URL: api } });
    let stop: AbortSignal | undefined;
    let closed = 0;
    const app: RequestListener = (request, response) => {
      stop = stopSignal(response);
      response.once('close', () => closed++);
      gateway(request, response);
    };
    const listener = await listen(Object.assign(app, { messages: gateway.messages }), { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    for (let opened = 1; opened <= 5; opened++) {
      const abort = new AbortController();
      for await (const { id } of readEventStream(listener.url + STREAM.path, { signal: abort.signal })) {
        expect(id).toBe('1');
        abort.abort();
        break;
      }
      while (closed < opened) await sleep(5);
    }
    await sleep(20);
    expect(stop && getEventListeners(stop, 'abort')).toEqual([]);
  });

  it('ends its request, and reports no failure of an API, when its client leaves while it opens', async () => {
    let asked = 0;
    let ended = 0;
    const api = await startApi((_request, response) => {
      asked++;
      response.once('close', () => ended++);
    });
    const lines: string[] = [];
    const gateway = fixture.createGateway({
      environment: { HISTORY_GATEWAY__HISTORY_API_URL: api },
      log: createLogger('test', 'warn', { write: (line) => void lines.push(line) }),
    });
    const listener = await listen(gateway, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    // The limit on the time in which a stream opens would end it, too.
    jest.useFakeTimers({ doNotFake: [...NOT_FAKED] });
    const abort = new AbortController();
    const opening = fetch(listener.url + STREAM.path, { signal: abort.signal });
    while (asked === 0) await setImmediate();
    abort.abort();
    await expect(opening).rejects.toThrow();
    while (ended === 0) await setImmediate();
    jest.useRealTimers();
    await sleep(100);
    expect(lines).toEqual([]);
  });

  it('asks with the method of the client, whose HEAD would never end otherwise', async () => {
    const methods: (string | undefined)[] = [];
    const api = await startApi(({ method }, response) => {
      methods.push(method);
      response.writeHead(200, HEADERS).end();
    });
    const { url } = await serve(api);
    for (const method of ['GET', 'HEAD']) expect((await fetch(url + STREAM.path, { method })).status).toBe(200);
    expect(methods).toEqual(['GET', 'HEAD']);
  });

  it('passes errors on, and responds 503 when no history API does', async () => {
    const api = await startApi((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"code":400}');
    });
    const refused = await fetch((await serve(api)).url + STREAM.path);
    expect([refused.status, await refused.json()]).toEqual([400, { code: 400 }]);
    const nowhere = await fetch((await serve('http://127.0.0.1:1')).url + STREAM.path);
    expect([nowhere.status, nowhere.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    expect((await fetch((await serve(api)).url + STREAM.path, { method: 'POST' })).status).toBe(405);
  });

  it('opens a stream at another history API when one is down, and cuts the stream of one that fails', async () => {
    const api = await startApi((_request, response) => {
      response.writeHead(200, HEADERS).write(eventText(1));
      setTimeout(() => response.destroy(), 50);
    });
    const { url } = await serve(`http://127.0.0.1:1,${api}`);
    for (let attempt = 0; attempt < 3; attempt++) {
      const events: ServerSentEvent[] = [];
      const read = async (): Promise<void> => {
        const options = { signal: new AbortController().signal };
        for await (const event of readEventStream(url + STREAM.path, options)) events.push(event);
      };
      await read().catch(() => undefined);
      expect(events.map(({ id }) => id)).toEqual(['1']);
    }
  });

  it('is refused when an API has not opened it for ten seconds', async () => {
    let asked = 0;
    const api = await startApi(() => {
      asked++;
    });
    const { url } = await serve(api);
    jest.useFakeTimers({ doNotFake: [...NOT_FAKED] });
    const opening = fetch(url + STREAM.path);
    while (asked === 0) await setImmediate();
    jest.advanceTimersByTime(10_000);
    expect((await opening).status).toBe(503);
  });

  it('stays open for longer than an API may take to open it', async () => {
    let response: ServerResponse | undefined;
    const api = await startApi((_request, answer) => {
      response = answer.writeHead(200, HEADERS);
      response.write(eventText(1));
    });
    const { url } = await serve(api);
    jest.useFakeTimers({ doNotFake: [...NOT_FAKED] });
    const reader = (await fetch(url + STREAM.path)).body?.getReader();
    const read = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(await read()).toBe(eventText(1));
    jest.advanceTimersByTime(60_000);
    response?.write(eventText(2));
    expect(await read()).toBe(eventText(2));
    await reader?.cancel();
  });

  it('ends in order when the gateway stops', async () => {
    let ended = 0;
    const api = await startApi((_request, response) => {
      response.once('close', () => ended++);
      response.writeHead(200, HEADERS).write(eventText(1));
    });
    const listener = await serve(api);
    const response = await fetch(listener.url + STREAM.path);
    const [text] = await Promise.all([response.text(), listener.close()]);
    expect(text).toBe(eventText(1));
    while (ended === 0) await sleep(5);
  });

  it('limits the streams of a client', async () => {
    const api = await startApi((_request, response) => void response.writeHead(200, HEADERS).write(eventText(1)));
    const { url } = await serve(api, { HISTORY_GATEWAY__MAX_STREAMS_PER_CLIENT: '2' });
    const open = async () => {
      const { status, headers, body } = await fetch(url + STREAM.path);
      return { status, retryAfter: headers.get('retry-after'), leave: async () => body?.cancel() };
    };
    const streams = [await open(), await open()];
    const third = await open();
    expect([...streams, third].map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(third.retryAfter).toBe('5');
    await Promise.all([...streams, third].map(({ leave }) => leave()));
    for (let next = await open(); next.status !== 200; next = await open()) await sleep(5);
  });

  it('counts no stream of a client that left while its limits were looked up', async () => {
    class SlowKeyValue extends MemoryKeyValue {
      override async count(...counted: Parameters<MemoryKeyValue['count']>): ReturnType<MemoryKeyValue['count']> {
        await sleep(100);
        return super.count(...counted);
      }
    }
    const api = await startApi((_request, response) => void response.writeHead(200, HEADERS).write(eventText(1)));
    const gateway = fixture.createGateway({
      keyValue: new SlowKeyValue(),
      environment: {
        HISTORY_GATEWAY__HISTORY_API_URL: api,
        HISTORY_GATEWAY__MAX_STREAMS_PER_CLIENT: '1',
        HISTORY_API__RATE_LIMIT_RPM: '1000',
      },
    });
    const listener = await listen(gateway, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    await expect(fetch(listener.url + STREAM.path, { signal: AbortSignal.timeout(30) })).rejects.toThrow();
    await sleep(300);
    const { status, body } = await fetch(listener.url + STREAM.path);
    expect(status).toBe(200);
    await body?.cancel();
  });

  it('is served by the APIs of the same process', async () => {
    const gateway = fixture.createGateway({
      localApis: {
        responders: new Map(
          Object.values(ROUTES).map(({ path }) => [path, () => Promise.reject(new Error('not requested'))] as const),
        ),
        readHealth: async () => ({ ...CHAIN_FACTS, status: 'ok' }),
        stream: (request, response) =>
          void response.writeHead(200, HEADERS).end(eventText(Number(request.get('last-event-id')))),
      },
    });
    const listener = await listen(gateway, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    const ids: string[] = [];
    const options = { lastEventId: '7', signal: new AbortController().signal };
    for await (const { id } of readEventStream(listener.url + STREAM.path, options)) ids.push(id);
    expect(ids).toEqual(['7']);
  });
});
