import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LiveWatch } from '../../src/live-watch';

const DELAY_MS = 600;
const LIMIT_MS = 30_000;

describe('the watch of /live', () => {
  let server: Server;
  let watch: LiveWatch;
  let delayMs: number;

  beforeEach(async () => {
    delayMs = 0;
    server = createServer((_request, response) => setTimeout(() => response.end(), delayMs).unref());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    watch = LiveWatch.start(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    while (watch.count === 0) await sleep(10);
  });

  afterEach(async () => {
    await watch.stop();
    server.close();
  });

  it('waits for the response to a probe that was sent before', async () => {
    const since = Date.now();
    delayMs = DELAY_MS;
    await once(server, 'request');
    await sleep(50);
    expect(await watch.worstSince(since, LIMIT_MS)).toBeGreaterThanOrEqual(DELAY_MS);
  });

  it('finds a slow response that began before the time', async () => {
    delayMs = DELAY_MS;
    await once(server, 'request');
    await sleep(50);
    expect(await watch.worstSince(Date.now(), LIMIT_MS)).toBeGreaterThanOrEqual(DELAY_MS);
  });

  it('leaves out slow responses that ended before', async () => {
    delayMs = DELAY_MS;
    await once(server, 'request');
    await sleep(DELAY_MS / 2);
    delayMs = 0;
    const { count } = watch;
    while (watch.count < count + 2) await sleep(10);
    expect(await watch.worstSince(Date.now(), LIMIT_MS)).toBeLessThan(DELAY_MS);
    expect(watch.slowest).toBeGreaterThanOrEqual(DELAY_MS);
  });

  it('gives the limit when nothing responds, or nothing probes', async () => {
    const limitMs = 700;
    delayMs = LIMIT_MS;
    await once(server, 'request');
    expect(await watch.worstSince(Date.now(), limitMs)).toBe(limitMs);
    server.closeAllConnections();
    await watch.stop();
    await sleep(300);
    expect(await watch.worstSince(Date.now(), limitMs)).toBe(limitMs);
  });
});
