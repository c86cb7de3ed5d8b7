import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { createLogger } from '../logger';
import { counter, Registry } from '../metrics';
import { readHeartbeats } from './heartbeats';
import { startWorkerOperations, type WorkerHealth } from './worker-operations';

const HEALTH: WorkerHealth = {
  status: 'ok',
  components: { broker: { status: 'ok' } },
  facts: { waiting_blocks: 7, head_block_num: null },
};

describe('the operations of a worker', () => {
  let closers: (() => void | Promise<void>)[];
  let lines: string[];
  let failures: unknown[];

  /** `health`: undefined while the worker starts. */
  async function start(port: number | undefined, health: WorkerHealth | undefined) {
    closers = [];
    lines = [];
    failures = [];
    const registry = new Registry();
    counter(registry, { name: 'blocks_total', help: 'Blocks' }).inc(3);
    const keyValue = new MemoryKeyValue();
    const operations = await startWorkerOperations(
      {
        log: createLogger('test', 'info', { write: (line) => void lines.push(line) }),
        registry,
        onStop: (close) => void closers.push(close),
        fail: (error) => void failures.push(error),
      },
      {
        kind: 'indexer',
        keyValue,
        work: { metric: 'blocks_total', unit: 'blocks' },
        address: { host: '127.0.0.1', port },
      },
    );
    if (health) operations.showHealth(async () => health);
    const url = lines.map((line) => (JSON.parse(line) as { url: string }).url)[0] ?? '';
    return { keyValue, url };
  }

  afterEach(async () => {
    for (const close of closers.reverse()) await close();
    expect(failures).toEqual([]);
  });

  it('are /health with further fields, /live and /metrics', async () => {
    const { url } = await start(0, HEALTH);
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toEqual([
      200,
      { status: 'ok', version: '4.1.0', waiting_blocks: 7, head_block_num: null, components: HEALTH.components },
    ]);
    expect(await (await fetch(`${url}/live`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('blocks_total 3');
  });

  it('answer 503 when the worker cannot process blocks', async () => {
    const { url } = await start(0, { ...HEALTH, status: 'down' });
    expect((await fetch(`${url}/health`)).status).toBe(503);
    expect((await fetch(`${url}/live`)).status).toBe(200);
  });

  it('report the worker as down while it waits for its servers', async () => {
    const { url, keyValue } = await start(0, undefined);
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toEqual([503, { status: 'down', version: '4.1.0', components: {} }]);
    expect((await fetch(`${url}/live`)).status).toBe(200);
    expect([...(await readHeartbeats(keyValue)).values()]).toMatchObject([{ status: 'down' }]);
  });

  it('consist of heartbeats only without a port', async () => {
    const { keyValue } = await start(undefined, HEALTH);
    expect(lines).toEqual([]);
    await new Promise(setImmediate);
    expect([...(await readHeartbeats(keyValue)).values()]).toMatchObject([{ kind: 'indexer', status: 'ok' }]);
    await closers.pop()?.();
    expect((await readHeartbeats(keyValue)).size).toBe(0);
  });
});
