import request from 'supertest';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { healthResponse, type ProcessStatus, statusResponse } from '@antelope-history/schemas';
import { StatusHistory } from '../src/status/status-history';
import { CHAIN_FACTS, GatewayFixture } from './gateway-fixture';

const AT = Date.UTC(2026, 0, 2);
const HEALTH = healthResponse.parse({ ...CHAIN_FACTS, status: 'ok' });

const INDEXER: ProcessStatus = {
  kind: 'indexer',
  host: 'one',
  pid: 7,
  since: '2026-01-01T00:00:00.000Z',
  status: 'ok',
  version: '4.1.0',
};

describe('GET /status', () => {
  const fixture = new GatewayFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());

  it('has what each process reports, and the figures of all together', async () => {
    const keyValue = new MemoryKeyValue();
    const beat = (kind: string, host: string, report?: object) =>
      keyValue.setMember(
        'heartbeats',
        `${kind}-${host}`,
        JSON.stringify({
          kind,
          host,
          pid: 7,
          since: '2026-01-01T00:00:00.000Z',
          status: 'ok',
          work: { unit: 'blocks', perSecond: 2.5 },
          report,
        }),
        10_000,
      );
    const error = { at: AT, code: 'STORE_FULL', message: 'no block is written' };
    await beat('reader', 'a', { version: '4.1.0', forks: 3, nodes_refused: 1, memory_bytes: 5 });
    await beat('indexer', 'b', {
      version: '4.1.0',
      dead_letters: 2,
      queue_messages: { refetch: 4 },
      store_free_bytes: 9,
    });
    await beat('indexer', 'c', {
      version: '4.2.0',
      dead_letters: 2,
      queue_messages: { refetch: 5 },
      store_free_bytes: 8,
      last_error: error,
    });
    await beat('deserializer', 'old');
    const { status, body } = await request(fixture.createOperations({ keyValue, now: () => AT })).get('/status');
    expect([status, body.at]).toEqual([200, AT]);
    expect(statusResponse.parse(body)).toEqual(body);
    expect(body.totals).toEqual({
      forks: 3,
      nodes_refused: 1,
      dead_letters: 2,
      queue_messages: { refetch: 5 },
      store_free_bytes: 8,
    });
    expect(body.processes.map(({ kind, host, version }: ProcessStatus) => [kind, host, version])).toEqual([
      ['deserializer', 'old', 'unknown'],
      ['indexer', 'b', '4.1.0'],
      ['indexer', 'c', '4.2.0'],
      ['reader', 'a', '4.1.0'],
    ]);
    expect(body.processes[2]).toMatchObject({ blocks_per_second: 2.5, last_error: error });
    expect(body.health.chain_id).toBe(CHAIN_FACTS.chain_id);
  });

  it('names no machine and no error to clients, where the operator shows it to them', async () => {
    const readProcesses = async () => [{ ...INDEXER, last_error: { at: AT, message: 'redis://secret' } }];
    const environment = { HISTORY_GATEWAY__PUBLIC_PATHS: 'status_page' };
    const { status, body, text } = await request(fixture.createGateway({ environment, readProcesses })).get('/status');
    expect([status, body.processes]).toEqual([
      200,
      [{ kind: 'indexer', since: INDEXER.since, status: 'ok', version: '4.1.0' }],
    ]);
    expect(text).not.toMatch(/secret|"one"|"host"|"pid"/);
    const own = await request(fixture.createOperations({ readProcesses })).get('/status');
    expect(own.body.processes).toMatchObject([{ host: 'one', pid: 7, last_error: { message: 'redis://secret' } }]);
  });

  it('is not for clients by default', async () => {
    expect((await request(fixture.createGateway()).get('/status')).status).toBe(404);
  });
});

describe('StatusHistory', () => {
  const counted = (blocks: number, actions: number, since = INDEXER.since): ProcessStatus => ({
    ...INDEXER,
    since,
    indexed_blocks: blocks,
    indexed_actions: actions,
  });

  it('has the speed of all processes between two samples', () => {
    const history = new StatusHistory();
    history.add(AT, HEALTH, [counted(100, 1_000), { ...counted(0, 0), pid: 8 }]);
    expect(history.samples()).toEqual([]);
    history.add(AT + 10_000, HEALTH, [counted(150, 1_900), { ...counted(10, 100), pid: 8 }]);
    expect(history.samples()).toEqual([
      { at: AT + 10_000, head_block_num: 12, committed_block_num: 11, blocks_per_second: 6, actions_per_second: 100 },
    ]);
  });

  it('does not count what a process did before its first sample, nor a restart as negative', () => {
    const history = new StatusHistory();
    history.add(AT, HEALTH, [counted(100, 1_000)]);
    history.add(AT + 1_000, HEALTH, [counted(5, 50, '2026-01-02T00:00:00.000Z')]);
    history.add(AT + 2_000, HEALTH, [counted(7, 60, '2026-01-02T00:00:00.000Z')]);
    history.add(AT + 3_000, HEALTH, []);
    expect(history.samples().map(({ blocks_per_second: blocks }) => blocks)).toEqual([0, 2, 0]);
  });

  it('keeps an hour', () => {
    const history = new StatusHistory();
    for (let sample = 0; sample <= 500; sample++) history.add(AT + sample * 10_000, HEALTH, []);
    expect(history.samples()).toHaveLength(360);
    expect(history.samples()[0]?.at).toBe(AT + 141 * 10_000);
  });
});
