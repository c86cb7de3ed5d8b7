import { HistoryError } from '@antelope-history/schemas';
import { createLogger, lastErrorOf } from '../logger';
import { counter, gauge, readMetrics, Registry } from '../metrics';
import { describeProcess, REPORTED_METRICS } from './process-report';

const silent = { write: () => undefined };

describe('describeProcess', () => {
  it('has the figures of a process that it has', async () => {
    const registry = new Registry();
    counter(registry, { name: 'history_forks_total', help: 'x' }).inc(3);
    const refused = counter(registry, { name: 'history_ship_nodes_refused_total', help: 'x', labelNames: ['code'] });
    refused.inc({ code: 'A' }, 1);
    refused.inc({ code: 'B' }, 2);
    gauge(registry, { name: 'history_queue_messages', help: 'x', labelNames: ['queue'] }).set({ queue: 'refetch' }, 4);
    gauge(registry, { name: 'history_last_commit_timestamp_seconds', help: 'x' }).set(1_700_000_000);
    gauge(registry, { name: 'history_other', help: 'x' }).set(1);
    const metrics = await readMetrics(registry, REPORTED_METRICS);
    expect(metrics.map(({ name }) => name)).not.toContain('history_other');
    expect(describeProcess(metrics, [])).toEqual({
      version: '4.1.0',
      forks: 3,
      nodes_refused: 3,
      queue_messages: { refetch: 4 },
      last_progress_at: 1_700_000_000_000,
    });
  });

  it('has the last error of its loggers', () => {
    const [one, other] = [createLogger('one', 'info', silent), createLogger('other', 'info', silent)];
    expect(describeProcess([], [one, other])).toEqual({ version: '4.1.0' });
    jest.useFakeTimers({ now: 1_000 });
    one.error({ error: new HistoryError('STORE_FULL', 'full') }, 'a write failed');
    jest.setSystemTime(2_000);
    other.child({ part: 'x' }).fatal({ code: 'CONFIG_INVALID' }, 'y'.repeat(300));
    other.warn('not an error');
    jest.useRealTimers();
    expect(lastErrorOf(one)).toEqual({ at: 1_000, code: 'STORE_FULL', message: 'a write failed' });
    expect(describeProcess([], [one, other]).last_error).toEqual({
      at: 2_000,
      code: 'CONFIG_INVALID',
      message: 'y'.repeat(200),
    });
  });
});
