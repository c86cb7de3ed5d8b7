import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, operationsRoutes, Registry, startOperations } from '../src';

const BUSY_PROCESS = path.join(__dirname, 'busy-process.cjs');
/** /live takes below 250 ms on an idle machine; the limit leaves room for a loaded one. */
const LIVE_LIMIT_MS = 1_000;

jest.setTimeout(30_000);

describe('the operations listener', () => {
  let child: ChildProcess;
  let url: string;

  async function start(silentAfterMs: number): Promise<void> {
    child = fork(BUSY_PROCESS, [String(silentAfterMs)]);
    const [message] = (await once(child, 'message')) as [{ url: string }];
    url = message.url;
  }

  /** Makes the main thread of the process busy; resolves when it is. */
  async function makeBusy(milliseconds: number): Promise<void> {
    const confirmed = once(child, 'message');
    child.send(milliseconds);
    await confirmed;
    await sleep(200);
  }

  /** The age and the body of /health: `{ status: 'ok', asked: 2 }`. */
  const readHealth = async () => {
    const response = await fetch(`${url}/health`);
    return { age: Number(response.headers.get('age') ?? 0), body: (await response.json()) as { asked: number } };
  };

  afterEach(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('answers /live at once while the main thread is busy, and serves the last health and metrics', async () => {
    await start(60_000);
    expect((await readHealth()).body).toEqual({ status: 'ok', asked: 1 });
    expect((await fetch(`${url}/metrics`)).status).toBe(200);

    const busyForMs = 6_000;
    await makeBusy(busyForMs);
    const since = performance.now();
    const health = readHealth();
    const metrics = fetch(`${url}/metrics`);
    const live = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await sleep(index * 50);
        const askedAt = performance.now();
        const { status } = await fetch(`${url}/live`);
        return { status, isInTime: performance.now() - askedAt < LIVE_LIMIT_MS };
      }),
    );
    expect(live).toEqual(live.map(() => ({ status: 200, isInTime: true })));
    const { age, body } = await health;
    expect([body.asked, age > 0, (await metrics).status]).toEqual([1, true, 200]);
    expect(performance.now() - since).toBeLessThan(busyForMs);

    // The health is current again when the main thread responds.
    await sleep(Math.max(0, since + busyForMs - performance.now()));
    const later = await readHealth();
    expect([later.body.asked > 1, later.age]).toEqual([true, 0]);
  });

  it('reports the process as down, without old pages, when the main thread has not responded for too long', async () => {
    await start(1_500);
    await readHealth();
    await makeBusy(7_000);
    await sleep(2_000);
    const live = await fetch(`${url}/live`);
    expect([live.status, await live.json()]).toEqual([503, { status: 'down', silent_seconds: expect.any(Number) }]);
    const health = await fetch(`${url}/health`);
    expect([health.status, health.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await health.json()).toMatchObject({ code: 503, error: { name: 'unavailable' } });
  });
});

describe('starting the operations listener', () => {
  const context = () => {
    const closers: (() => void | Promise<void>)[] = [];
    const log = createLogger('test', 'silent');
    return { closers, log, onStop: (close: () => void | Promise<void>) => void closers.push(close), fail: jest.fn() };
  };
  const routes = operationsRoutes(async () => ({ status: 'ok' }), new Registry());

  it('fails on an address in use, and leaves nothing open', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { closers, fail, ...rest } = context();
    const started = startOperations({ ...rest, fail }, { name: 'a', address: { host: '127.0.0.1', port }, routes });
    await expect(started).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    for (const close of closers.reverse()) await close();
    expect(fail).not.toHaveBeenCalled();
    server.close();
  });

  it('loads neither zod nor prom-client on its thread', () => {
    const thread = path.resolve(__dirname, '../dist/operations/operations-thread.js');
    const script = `require(${JSON.stringify(thread)}); console.log(Object.keys(require.cache).join('\\n'))`;
    const loaded = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).split('\n');
    expect(loaded).toContain(thread);
    expect(loaded.filter((file) => /\/(zod|prom-client)\//.test(file))).toEqual([]);
  });

  it('opens nothing without a port', async () => {
    const { closers, ...rest } = context();
    await startOperations(rest, { name: 'a', address: { host: '127.0.0.1', port: undefined }, routes });
    expect(closers).toEqual([]);
  });
});
