import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { listen, type Listener } from '@antelope-history/app-runtime';
import { createApiDeps, openSampleReader, type SampleReader } from '@antelope-history/endpoint-testing';
import type { ActionsQuery, HistoryReader, SearchPause } from '@antelope-history/store';
import { ModelHistory, SyntheticChain } from '@antelope-history/store/contract';
import { readWebSocketStream, type ServerSentEvent } from '@antelope-history/test-support/event-stream';
import { createHistoryApi } from '../src';

const STREAM = '/v1/history/stream';
const HANDSHAKE = [
  `GET ${STREAM}?after=1 HTTP/1.1`,
  'host: x',
  'connection: keep-alive, Upgrade',
  'upgrade: WebSocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
];

describe('the stream over WebSocket', () => {
  let sample: SampleReader;
  const listeners: Listener[] = [];
  beforeAll(() => (sample = openSampleReader('leap-edge')));
  afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close())));

  async function serve(reader: HistoryReader = sample, environment: Record<string, string> = {}): Promise<Listener> {
    const app = createHistoryApi(createApiDeps(reader, environment));
    const listener = await listen(app, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    return listener;
  }

  async function streamsOf(url: string): Promise<number> {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return Number(/^history_open_streams (\d+)$/m.exec(metrics)?.[1]);
  }

  async function open(url: string, lines = HANDSHAKE): Promise<{ socket: Socket; received: string }> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const [data] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean];
    return { socket, received: Buffer.isBuffer(data) ? data.toString('latin1') : '' };
  }

  it('sends the rows of get_actions, continued at any event', async () => {
    const { url } = await serve();
    const request = { account_name: 'alice', after: 300, sort: 'asc', offset: 1000 };
    const response = await fetch(`${url}/v1/history/get_actions`, { method: 'POST', body: JSON.stringify(request) });
    const { actions } = (await response.json()) as { actions: unknown[] };
    const events = await eventsOf(`${url}${STREAM}?after=300&account_name=alice`);
    expect(rowsIn(events)).toEqual(actions);
    const later = await eventsOf(`${url}${STREAM}?account_name=alice`, events[2]?.id);
    expect(rowsIn(later)).toEqual(actions.slice(3));
    while ((await streamsOf(url)) > 0) await sleep(5);
  });

  it('names its request, as each response does', async () => {
    const { url } = await serve();
    const { socket, received } = await open(url, [...HANDSHAKE, 'x-request-id: mine']);
    expect(received).toContain('\r\nx-request-id: mine\r\n');
    socket.destroy();
  });

  it('counts as a request that got a response', async () => {
    const { url } = await serve();
    const { socket, received } = await open(url);
    expect(received).toMatch(/^HTTP\/1.1 101 /);
    socket.destroy();
    while ((await streamsOf(url)) > 0) await sleep(5);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const counts = metrics
      .split('\n')
      .filter((line) => line.startsWith('http_requests_total') && line.includes(STREAM));
    expect(counts.filter((line) => !line.endsWith(' 0'))).toEqual([expect.stringMatching(/status="1xx"} 1$/)]);
  });

  it('reports the cost of its searches in pongs to a gateway that asks for it', async () => {
    const reader = Object.assign(Object.create(sample) as SampleReader, {
      getActions: async (query: ActionsQuery, pause: SearchPause) => {
        await pause(200_000);
        return sample.getActions(query);
      },
    });
    const { url } = await serve(reader);
    const socket = new WebSocket(`${url.replace('http', 'ws')}${STREAM}?after=1`, {
      headers: { 'x-report-cost': '1' },
    });
    const [payload] = (await once(socket, 'pong')) as [Buffer];
    expect(String(payload)).toBe('cost 3');
    socket.terminate();
    while ((await streamsOf(url)) > 0) await sleep(5);
  });

  it('says with a close frame that the service stops', async () => {
    const listener = await serve();
    const events: string[] = [];
    const options = { signal: new AbortController().signal };
    for await (const { type, data } of readWebSocketStream(listener.url + STREAM, options)) {
      events.push(type === 'close' ? data : type);
      if (type === 'head') void listener.close();
    }
    expect(events).toEqual(['head', '{"reason":"shutdown"}']);
  });

  it.each([
    ['Sec-WebSocket-Version: send 13', HANDSHAKE.map((line) => line.replace('13', '12')), ''],
    ['Sec-WebSocket-Key: send 16 bytes', HANDSHAKE.filter((line) => !line.includes('-key')), ''],
    ['Invalid Sec-WebSocket-Protocol header', [...HANDSHAKE, 'sec-websocket-protocol: a, ,b'], ''],
    [
      'Invalid Sec-WebSocket-Protocol header',
      [...HANDSHAKE, 'sec-websocket-protocol: a', 'sec-websocket-protocol: a'],
      '',
    ],
    ['account: the stream takes', HANDSHAKE, '&account=alice'],
  ])('refuses a handshake: %s', async (message, lines, parameters) => {
    const { url } = await serve();
    const { received, socket } = await open(
      url,
      lines.map((line) => line.replace('after=1', `after=1${parameters}`)),
    );
    expect(received).toMatch(/^HTTP\/1.1 400 [^]*"name":"invalid_http_request"/);
    expect(received).toContain(message);
    await once(socket, 'close');
  });

  it('responds to a handshake at another path as to any request, and to requests that offer another protocol', async () => {
    const { url } = await serve();
    const { received } = await open(
      url,
      HANDSHAKE.map((line) => line.replace('/stream?after=1', '/get_actions')),
    );
    expect(received).toMatch(/^HTTP\/1.1 405 /);
    const body = '{"account_name":"alice","offset":1}';
    const post = await open(url, [
      'POST /v1/history/get_actions HTTP/1.1',
      'host: x',
      'connection: Upgrade, HTTP2-Settings',
      'upgrade: h2c',
      `content-length: ${body.length}`,
      '',
      body,
    ]);
    expect(post.received).toMatch(/^HTTP\/1.1 200 /);
    expect((await open(url, ['CONNECT x:1 HTTP/1.1', 'host: x'])).received).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('closes the connection of a client that sends messages or a flood of pings or pongs', async () => {
    const { url } = await serve();
    const talker = new WebSocket(url.replace('http', 'ws') + STREAM);
    await once(talker, 'open');
    talker.send('{"subscribe":"all"}');
    const [code, reason] = (await once(talker, 'close')) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([1008, 'the stream takes no messages']);
    const pinger = new WebSocket(url.replace('http', 'ws') + STREAM);
    await once(pinger, 'open');
    for (let count = 0; count < 40; count++) pinger.ping();
    await once(pinger, 'close');
    const ponger = new WebSocket(url.replace('http', 'ws') + STREAM);
    await once(ponger, 'open');
    for (let count = 0; count < 40; count++) ponger.pong();
    await once(ponger, 'close');
    const large = new WebSocket(url.replace('http', 'ws') + STREAM);
    await once(large, 'open');
    large.send(Buffer.alloc(1_000_000));
    const [tooLarge] = (await once(large, 'close')) as [number];
    expect(tooLarge).toBe(1009);
    while ((await streamsOf(url)) > 0) await sleep(5);
  });

  it('drops a handshake that is pipelined behind an open response, and whatever follows a handshake', async () => {
    const { url } = await serve();
    const sse = HANDSHAKE.filter((line) => !/^(connection|upgrade|sec-)/.test(line));
    const { socket } = await open(url, [...sse, '', ...HANDSHAKE]);
    if (!socket.closed) await once(socket, 'close');
    const { socket: mixed } = await open(url, [...HANDSHAKE, '', 'GET /live HTTP/1.1', 'host: x']);
    // "GE" is no frame of a client: it is not masked.
    if (!mixed.closed) await once(mixed, 'close');
    while ((await streamsOf(url)) > 0) await sleep(5);
  });

  it('closes a WebSocket whose client does not read, or sends a close frame and reads on', async () => {
    const large = { account: 'hot', name: 'ping', actor: 'hot', notified: [], creatorDistance: 0, dataBytes: 200_000 };
    const plan = { transactions: [[large]], abis: [], permissions: [] };
    const plans = Array.from({ length: 200 }, () => plan);
    const { url } = await serve(ModelHistory.of(new SyntheticChain().blocks(undefined, plans)));
    const { socket: closing } = await open(url);
    closing.resume();
    // A masked close frame without a body; the client keeps the connection.
    closing.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
    const { socket: silent } = await open(url);
    silent.pause();
    while ((await streamsOf(url)) > 0) await sleep(50);
    silent.resume();
    await once(silent, 'close');
    expect(silent.bytesRead).toBeLessThan(60_000_000);
  });

  const rowsIn = (events: readonly ServerSentEvent[]): unknown[] =>
    events.filter(({ type }) => type === 'action').map(({ data }) => JSON.parse(data) as unknown);

  /** The events up to the first `head`. */
  async function eventsOf(url: string, lastEventId?: string): Promise<ServerSentEvent[]> {
    const events: ServerSentEvent[] = [];
    const options = { lastEventId, signal: new AbortController().signal };
    for await (const event of readWebSocketStream(url, options)) {
      events.push(event);
      if (event.type === 'head') return events;
    }
    throw new Error('the stream ended');
  }
});
