import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { limitConnections, listen, type Listener, Registry } from '@antelope-history/app-runtime';
import { STREAM } from '@antelope-history/routes';
import { closeAfterEach } from './close-after-each';
import { GatewayFixture } from './gateway-fixture';

const HANDSHAKE =
  `GET ${STREAM.path} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
  'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

interface Api {
  url: string;
  /** The handshakes that it accepted. */
  accepted: { request: IncomingMessage; socket: WebSocket }[];
}

describe('the stream over WebSocket through the gateway', () => {
  const fixture = new GatewayFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());

  const { servers, listeners } = closeAfterEach();

  /** A history API that accepts each handshake, or refuses it with an error body. */
  async function startApi(refusal?: { status: number; body: string }): Promise<Api> {
    const accepted: Api['accepted'] = [];
    const sockets = new WebSocketServer({ noServer: true });
    sockets.on('headers', (lines, { headers }) => lines.push(`x-request-id: ${String(headers['x-request-id'])}`));
    const server = createServer();
    server.on('upgrade', (request, connection: Socket, head) => {
      if (refusal) {
        const head = `HTTP/1.1 ${refusal.status} Refused\r\ncontent-type: application/json\r\n`;
        connection.end(`${head}content-length: ${refusal.body.length}\r\nconnection: close\r\n\r\n${refusal.body}`);
      } else sockets.handleUpgrade(request, connection, head, (socket) => accepted.push({ request, socket }));
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, accepted };
  }

  async function serve(historyApiUrl: string, environment: Record<string, string> = {}): Promise<Listener> {
    const gateway = fixture.createGateway({
      environment: { HISTORY_GATEWAY__HISTORY_API_URL: historyApiUrl, ...environment },
    });
    const listener = await listen(gateway, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    return listener;
  }

  async function open(url: string, query = '', headers: Record<string, string> = {}): Promise<WebSocket> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${STREAM.path}${query}`, { headers });
    await once(socket, 'open');
    return socket;
  }

  /** The status of a refused handshake. */
  async function refusalOf(url: string, protocols: string[] = []): Promise<number | undefined> {
    const socket = new WebSocket(url.replace('http', 'ws') + STREAM.path, protocols);
    socket.on('error', () => undefined);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    socket.terminate();
    return response.statusCode;
  }

  it('has fewer listeners on a connection than Node.js warns of, with all limits of connections', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const api = await startApi();
    const gateway = fixture.createGateway({ environment: { HISTORY_GATEWAY__HISTORY_API_URL: api.url } });
    const limits = { maxConnections: 10, maxConnectionsPerClient: 10, trustedProxies: [], writeTimeoutSeconds: 10 };
    const limit = limitConnections(limits, new Registry());
    const listener = await listen(gateway, { host: '127.0.0.1', port: 0, limit });
    listeners.push(listener);
    const client = await open(listener.url);
    client.send('hello');
    await once(api.accepted[0]?.socket as WebSocket, 'message');
    process.off('warning', note);
    client.terminate();
    expect(warnings).toEqual([]);
  });

  it('takes an API key among the protocols, which browsers can send, and shows it to nobody', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'web-socket-keys-'));
    const file = path.join(folder, 'keys.json');
    const sha256 = createHash('sha256').update('right-key').digest('hex');
    writeFileSync(file, JSON.stringify([{ name: 'alice', sha256 }]));
    const api = await startApi();
    const { url } = await serve(api.url, {
      HISTORY_GATEWAY__REQUIRE_API_KEY: 'true',
      HISTORY_GATEWAY__API_KEYS_FILE: file,
    });
    rmSync(folder, { recursive: true });
    for (const protocols of [
      ['antelope-history', 'key.right-key'],
      ['key.right-key', 'antelope-history'],
    ]) {
      const client = new WebSocket(url.replace('http', 'ws') + STREAM.path, protocols);
      await once(client, 'open');
      expect(client.protocol).toBe('antelope-history');
      expect(api.accepted.at(-1)?.request.headers['sec-websocket-protocol']).toBe('antelope-history');
      client.terminate();
    }
    // The API gets no list that is empty: a server refuses one.
    const keyOnly = new WebSocket(url.replace('http', 'ws') + STREAM.path, ['key.right-key']);
    const [error] = (await once(keyOnly, 'error')) as [Error];
    expect(error.message).toBe('Server sent no subprotocol');
    expect(api.accepted.at(-1)?.request.headers).not.toHaveProperty('sec-websocket-protocol');
    expect(await refusalOf(url, ['antelope-history', 'key.wrong-key'])).toBe(401);
    expect(await refusalOf(url, ['antelope-history'])).toBe(401);
    const { url: open } = await serve(api.url);
    const client = new WebSocket(open.replace('http', 'ws') + STREAM.path, ['antelope-history', 'key.right-key']);
    await once(client, 'open');
    expect(api.accepted.at(-1)?.request.headers['sec-websocket-protocol']).toBe('antelope-history');
    client.terminate();
  });

  it('joins the connections: messages, pings, the query, the cursor, and the end of each side', async () => {
    const api = await startApi();
    const { url } = await serve(api.url);
    const client = await open(url, '?account_name=alice', { 'last-event-id': 'cursor', 'x-api-key': 'secret' });
    const [upstream] = api.accepted;
    expect([upstream?.request.url, upstream?.request.headers['last-event-id']]).toEqual([
      `${STREAM.path}?account_name=alice`,
      'cursor',
    ]);
    expect(upstream?.request.headers['x-api-key']).toBeUndefined();
    const large = 'x'.repeat(1_000_000);
    upstream?.socket.send(large);
    expect(String((await once(client, 'message'))[0])).toBe(large);
    client.ping();
    await once(client, 'pong');
    upstream?.socket.close(1001, 'shutdown');
    expect((await once(client, 'close')).map(String)).toEqual(['1001', 'shutdown']);

    const second = await open(url);
    second.terminate();
    await once(api.accepted[1]?.socket as WebSocket, 'close');
    const third = await open(url);
    api.accepted[2]?.socket.terminate();
    expect((await once(third, 'close'))[0]).toBe(1006);
  });

  it('passes the id of the request on, and the API’s response with it', async () => {
    const api = await startApi();
    const { url } = await serve(api.url);
    const client = new WebSocket(url.replace('http', 'ws') + STREAM.path, { headers: { 'x-request-id': 'mine' } });
    const [{ headers }] = (await once(client, 'upgrade')) as [IncomingMessage];
    expect([headers['x-request-id'], api.accepted[0]?.request.headers['x-request-id']]).toEqual(['mine', 'mine']);
    client.terminate();
  });

  it('passes the refusal of a handshake on, and responds 503 when no history API does', async () => {
    const { url: refusing } = await startApi({ status: 400, body: '{"code":400}' });
    expect(await refusalOf((await serve(refusing)).url)).toBe(400);
    expect(await refusalOf((await serve('http://127.0.0.1:1')).url)).toBe(503);
  });

  it('charges the costs that the API reports, and cuts the connection when the client has used up its cost', async () => {
    const api = await startApi();
    const { url } = await serve(api.url, { HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '50' });
    const client = await open(url);
    const upstream = api.accepted[0] as Api['accepted'][number];
    expect(upstream.request.headers['x-report-cost']).toBe('1');
    upstream.socket.send('x'.repeat(70_000));
    for (const cost of [20, 30]) upstream.socket.pong(`cost ${cost}`);
    const [code] = (await once(client, 'close')) as [number];
    expect(code).toBe(1006);
    expect(await refusalOf(url)).toBe(429);
  });

  it('passes on what each side sends together with its part of the handshake', async () => {
    const frames = Buffer.from('\x81\x05hello\x8a\x07cost 50', 'latin1');
    const received: Buffer[] = [];
    const connections: Socket[] = [];
    const server = createServer().on('upgrade', (request, connection: Socket) => {
      connections.push(connection);
      const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const head =
        'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n' +
        `sec-websocket-accept: ${createHash('sha1').update(key).digest('base64')}\r\n\r\n`;
      connection.on('data', (bytes: Buffer) => received.push(bytes));
      connection.write(Buffer.concat([Buffer.from(head), frames]));
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { url } = await serve(api, { HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '50' });
    const client = new WebSocket(url.replace('http', 'ws') + STREAM.path);
    expect(String((await once(client, 'message'))[0])).toBe('hello');
    await once(client, 'close');
    expect(await refusalOf(url)).toBe(429);

    const early = connect(Number(new URL((await serve(api)).url).port), '127.0.0.1');
    early.write(`${HANDSHAKE}early`);
    while (!Buffer.concat(received).toString().includes('early')) await sleep(5);
    for (const connection of [early, ...connections]) connection.destroy();
  });

  it('counts WebSockets among the streams of a client', async () => {
    const api = await startApi();
    const { url } = await serve(api.url, { HISTORY_GATEWAY__MAX_STREAMS_PER_CLIENT: '2' });
    const [first] = [await open(url), await open(url)];
    expect(await refusalOf(url)).toBe(429);
    first.terminate();
    await once(api.accepted[0]?.socket as WebSocket, 'close');
    while ((await open(url).catch(() => undefined)) === undefined) await sleep(5);
  });

  it('ends WebSockets when it stops', async () => {
    const api = await startApi();
    const listener = await serve(api.url);
    const client = await open(listener.url);
    await Promise.all([once(client, 'close'), listener.close()]);
  });

  it('ends a WebSocket that the API opens after it began to stop', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const listener = await serve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const client = new WebSocket(listener.url.replace('http', 'ws') + STREAM.path);
    const [request, connection, head] = (await once(server, 'upgrade')) as [IncomingMessage, Socket, Buffer];
    const closing = listener.close();
    await sleep(50);
    new WebSocketServer({ noServer: true }).handleUpgrade(request, connection, head, () => undefined);
    const startedAt = performance.now();
    await Promise.all([once(client, 'close'), closing]);
    // At five seconds, the gateway cuts the connections that are left.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('holds back an upstream whose client does not read', async () => {
    const api = await startApi();
    const { url } = await serve(api.url);
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    client.write(HANDSHAKE);
    await once(client, 'data');
    client.pause();
    const socket = api.accepted[0]?.socket as WebSocket;
    for (let count = 0; count < 64; count++) socket.send(Buffer.alloc(1_000_000));
    let waiting = -1;
    while (waiting !== socket.bufferedAmount) {
      waiting = socket.bufferedAmount;
      await sleep(200);
    }
    // The buffers of four sockets and of the kernel take some megabytes.
    expect(waiting).toBeGreaterThan(40_000_000);
    client.destroy();
    await once(socket, 'close');
  });
});
