import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import type { Heartbeat } from '@antelope-history/app-runtime';
import { ProcessWatch } from './process-watch';

class FailingKeyValue extends MemoryKeyValue {
  fails = false;

  override listMembers(group: string): Promise<Map<string, string>> {
    return this.fails ? Promise.reject(new Error('away')) : super.listMembers(group);
  }
}

describe('ProcessWatch', () => {
  let now: number;
  let keyValue: FailingKeyValue;
  let watch: ProcessWatch;

  async function beat(id: string, kind: string, heartbeat: Partial<Heartbeat> = {}): Promise<void> {
    const complete: Heartbeat = {
      kind,
      host: 'machine',
      pid: 1,
      since: '2026-01-01T00:00:00.000Z',
      status: 'ok',
      work: { unit: 'blocks', perSecond: 0.26 },
      ...heartbeat,
    };
    await keyValue.setMember('heartbeats', id, JSON.stringify(complete), 10_000);
  }
  const read = async (): Promise<Record<string, unknown>> => Object.fromEntries((await watch.read()).components);
  const statuses = async () =>
    [...(await watch.read()).components].map(([name, { status, count }]) => [name, status, count]);

  beforeEach(() => {
    now = 1_000_000;
    keyValue = new FailingKeyValue(() => now);
    watch = new ProcessWatch(keyValue, () => now);
  });

  it('expects no app without any heartbeat', async () => {
    expect(await read()).toEqual({});
    now += 60_000;
    expect(await read()).toEqual({});
  });

  it('counts processes by app in pipeline order, and sums their throughput', async () => {
    await beat('1', 'indexer');
    await beat('2', 'indexer');
    await beat('3', 'reader');
    await beat('4', 'deserializer');
    await beat('5', 'trace-api', { work: { unit: 'requests', perSecond: 7 } });
    await beat('6', 'chain-api', { work: { unit: 'requests', perSecond: 8 } });
    expect([...(await watch.read()).components]).toEqual([
      ['reader', { status: 'ok', count: 1, blocks_per_second: 0.3 }],
      ['deserializer', { status: 'ok', count: 1, blocks_per_second: 0.3 }],
      ['indexer', { status: 'ok', count: 2, blocks_per_second: 0.5 }],
      ['chain_api', { status: 'ok', count: 1, requests_per_second: 8 }],
      ['trace_api', { status: 'ok', count: 1, requests_per_second: 7 }],
    ]);
  });

  it('knows the highest head block that one of them reports', async () => {
    expect((await watch.read()).headBlock).toBeUndefined();
    await beat('1', 'reader', { headBlock: 12 });
    await beat('2', 'reader', { headBlock: 1_000 });
    await beat('3', 'indexer', { headBlock: 11 });
    expect((await watch.read()).headBlock).toBe(1_000);
  });

  it('reports an app as down when all of its processes are, and as degraded when some are', async () => {
    await beat('1', 'indexer', { status: 'down' });
    await beat('2', 'indexer', { status: 'catching_up' });
    await beat('3', 'reader', { status: 'down' });
    await beat('4', 'deserializer', { status: 'catching_up' });
    expect(await statuses()).toEqual([
      ['reader', 'down', 1],
      ['deserializer', 'ok', 1],
      ['indexer', 'degraded', 2],
    ]);
  });

  it('reports an app as missing some time after its last heartbeat', async () => {
    await beat('1', 'trace-api');
    await watch.read();
    now += 9_999;
    await keyValue.deleteMember('heartbeats', '1');
    expect(await statuses()).toEqual([['trace_api', 'ok', 0]]);
    now += 1;
    expect(await statuses()).toEqual([['trace_api', 'down', 0]]);
    await beat('2', 'trace-api');
    expect(await statuses()).toEqual([['trace_api', 'ok', 1]]);
  });

  it('reports stages as missing when another stage has a heartbeat', async () => {
    await beat('1', 'deserializer');
    expect((await statuses()).map(([, status]) => status)).toEqual(['ok', 'ok', 'ok']);
    now += 10_000;
    await beat('1', 'deserializer');
    expect(await statuses()).toEqual([
      ['reader', 'down', 0],
      ['deserializer', 'ok', 1],
      ['indexer', 'down', 0],
    ]);
  });

  it('reports no app as missing because the key-value store was emptied or unavailable', async () => {
    await beat('1', 'trace-api');
    await watch.read();
    await keyValue.close();
    now += 3_000;
    expect(await statuses()).toEqual([['trace_api', 'ok', 0]]);
    keyValue.fails = true;
    now += 60_000;
    expect(await statuses()).toEqual([]);
    keyValue.fails = false;
    now += 9_000;
    expect(await statuses()).toEqual([['trace_api', 'ok', 0]]);
    now += 1_000;
    expect(await statuses()).toEqual([['trace_api', 'down', 0]]);
  });
});
