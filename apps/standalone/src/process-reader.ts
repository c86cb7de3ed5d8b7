import { hostname } from 'node:os';
import type { ProcessStatus } from '@antelope-history/schemas';
import { describeProcess, type Logger, type Registry } from '@antelope-history/app-runtime';
import type { ThreadList } from './threads/thread-list';

/** The process as the page for operators lists it: all apps are this one process. */
export function createProcessReader(
  registry: Registry,
  log: Logger,
  threads: ThreadList,
): () => Promise<ProcessStatus[]> {
  const since = new Date(Date.now() - process.uptime() * 1000).toISOString();
  return async () => {
    const report = describeProcess(await registry.getMetricsAsJSON(), [log]);
    const lastError = threads.newestError(report.last_error);
    const identity = { kind: 'standalone', host: hostname(), pid: process.pid, since, status: 'ok' as const };
    return [{ ...identity, ...report, ...(lastError && { last_error: lastError }) }];
  };
}
