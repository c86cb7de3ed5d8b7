import { once } from 'node:events';
import { createServer, request, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitUpstreamTime } from './upstream-deadline';

const LIMIT_MS = 300;

describe('the time of an upstream for its response', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function send(upstream: RequestListener, limitMs = LIMIT_MS) {
    server = createServer(upstream).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sent = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    limitUpstreamTime(sent, limitMs);
    sent.end();
    return sent;
  }

  it('ends a request whose upstream sends interim responses only', async () => {
    const sent = await send((_request, response) => {
      const timer = setInterval(() => response.writeProcessing(), 20);
      response.once('close', () => clearInterval(timer));
    });
    const [error] = (await once(sent, 'error')) as [Error];
    expect(error.message).toBe('the upstream took too long to respond');
  });

  it('ends a response that arrives byte by byte', async () => {
    const sent = await send((_request, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(timer));
    });
    const failed = once(sent, 'error') as Promise<[Error]>;
    const [received] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
    received.on('error', () => undefined).resume();
    expect((await failed)[0].message).toBe('the upstream took too long to respond');
  });

  it('ends a response that arrives byte by byte to a client that pauses again and again', async () => {
    const sent = await send((_request, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(timer));
    });
    const failed = once(sent, 'error') as Promise<[Error]>;
    const [received] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
    received.on('error', () => undefined);
    received.on('data', () => {
      received.pause();
      setImmediate(() => received.resume());
    });
    expect((await failed)[0].message).toBe('the upstream took too long to respond');
  });

  it('leaves no timer behind of a request that ends without a response', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const sent = await send(() => undefined, 60_000);
    sent.on('error', () => undefined);
    expect(timers()).toBe(before + 1);
    await new Promise((resolve) => sent.once('close', resolve).destroy());
    expect(timers()).toBe(before);
  });

  it('does not count the time in which the client delays the response', async () => {
    const body = Buffer.alloc(8 * 1024 * 1024);
    const sent = await send((_request, response) => void response.end(body), 1_000);
    const [received] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
    let bytes = 0;
    received.on('data', (chunk: Buffer) => (bytes += chunk.length));
    await once(received, 'data');
    received.pause();
    await sleep(1_500);
    received.resume();
    await once(received, 'end');
    expect(bytes).toBe(body.length);
  });
});
