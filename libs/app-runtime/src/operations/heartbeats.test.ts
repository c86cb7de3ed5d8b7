import { hostname } from 'node:os';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import type { HealthStatus } from '@antelope-history/schemas';
import { createLogger } from '../logger';
import { counter, Registry } from '../metrics';
import { HEARTBEAT_TTL_MS, type HeartbeatsOptions, readHeartbeats, startHeartbeats } from './heartbeats';

class FailingKeyValue extends MemoryKeyValue {
  fails = true;

  override setMember(...args: Parameters<MemoryKeyValue['setMember']>): Promise<void> {
    return this.fails ? Promise.reject(new Error('unavailable')) : super.setMember(...args);
  }
}

/** Waits for pending promises that depend on no timer. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
}

describe('heartbeats', () => {
  const blocks = { metric: 'blocks_total', unit: 'blocks' } as const;
  let registry: Registry;
  const log = createLogger('test', 'silent');
  const start = (options: Partial<HeartbeatsOptions> = {}) =>
    startHeartbeats({
      kind: 'indexer',
      keyValue: new MemoryKeyValue(),
      log,
      registry,
      work: blocks,
      readState: async () => ({ status: 'ok' }),
      ...options,
    });

  beforeEach(() => {
    registry = new Registry();
    jest.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('publish the app, the state and the throughput of a process', async () => {
    const keyValue = new MemoryKeyValue();
    const written = counter(registry, { name: blocks.metric, help: 'Blocks' });
    let state: { status: HealthStatus; headBlock?: number } = { status: 'ok' };
    const heartbeats = start({ keyValue, readState: async () => state });
    await settle();
    const first = await readHeartbeats(keyValue);
    expect([...first.values()]).toEqual([
      {
        kind: 'indexer',
        host: hostname(),
        pid: process.pid,
        since: '2026-01-01T00:00:00.000Z',
        status: 'ok',
        work: { unit: 'blocks', perSecond: 0 },
        report: { version: '4.1.0' },
      },
    ]);
    written.inc(600);
    state = { status: 'degraded', headBlock: 9 };
    await jest.advanceTimersByTimeAsync(3_000);
    const second = await readHeartbeats(keyValue);
    expect([...second.keys()]).toEqual([...first.keys()]);
    expect([...second.values()]).toMatchObject([{ status: 'degraded', headBlock: 9, work: { perSecond: 200 } }]);
    await heartbeats.stop();
  });

  it('have an id per process, end when a process stops, and expire after a process is killed', async () => {
    const keyValue = new MemoryKeyValue();
    const [first, second] = [start({ keyValue }), start({ keyValue, kind: 'reader' })];
    await settle();
    expect([...(await readHeartbeats(keyValue)).values()].map(({ kind }) => kind).sort()).toEqual([
      'indexer',
      'reader',
    ]);
    await first.stop();
    expect([...(await readHeartbeats(keyValue)).values()].map(({ kind }) => kind)).toEqual(['reader']);
    keyValue.setMember = () => Promise.reject(new Error('this process was killed'));
    await jest.advanceTimersByTimeAsync(HEARTBEAT_TTL_MS);
    expect(await readHeartbeats(keyValue)).toEqual(new Map());
    await second.stop();
  });

  it('continue when the key-value store is back', async () => {
    const keyValue = new FailingKeyValue();
    const heartbeats = start({ keyValue });
    await jest.advanceTimersByTimeAsync(10_000);
    expect((await readHeartbeats(keyValue)).size).toBe(0);
    keyValue.fails = false;
    await jest.advanceTimersByTimeAsync(3_000);
    expect((await readHeartbeats(keyValue)).size).toBe(1);
    await heartbeats.stop();
  });

  it('do not overlap', async () => {
    let asked = 0;
    let answer: (state: { status: HealthStatus }) => void = () => undefined;
    const heartbeats = start({
      readState: () => {
        asked++;
        return new Promise((resolve) => (answer = resolve));
      },
    });
    await jest.advanceTimersByTimeAsync(30_000);
    expect(asked).toBe(1);
    answer({ status: 'ok' });
    await jest.advanceTimersByTimeAsync(3_000);
    expect(asked).toBe(2);
    heartbeats.beat();
    answer({ status: 'ok' });
    await settle();
    expect(asked).toBe(3);
    answer({ status: 'ok' });
    await heartbeats.stop();
  });

  it('of another version, and invalid ones, are ignored', async () => {
    const keyValue = new MemoryKeyValue();
    for (const value of ['', 'null', '{"kind":"reader"}', '[1]']) {
      await keyValue.setMember('heartbeats', value, value, 5_000);
    }
    expect((await readHeartbeats(keyValue)).size).toBe(0);
  });

  it('report the figures anew when the state changes, and otherwise with some of them', async () => {
    const keyValue = new MemoryKeyValue();
    const heartbeats = start({ keyValue });
    await settle();
    const forks = counter(registry, { name: 'history_forks_total', help: 'Forks' });
    forks.inc(2);
    const reported = async () => [...(await readHeartbeats(keyValue)).values()][0]?.report?.forks;
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await reported()).toBeUndefined();
    heartbeats.beat();
    await settle();
    expect(await reported()).toBe(2);
    forks.inc();
    await jest.advanceTimersByTimeAsync(12_000);
    expect(await reported()).toBe(3);
    const stopped = heartbeats.stop();
    await settle();
    await stopped;
  });
});
