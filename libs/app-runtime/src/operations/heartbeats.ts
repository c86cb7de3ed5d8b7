import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { z } from 'zod';
import type { KeyValue } from '@antelope-history/key-value';
import { healthStatus, type ProcessReport, processReport } from '@antelope-history/schemas';
import type { Logger } from '../logger';
import { readMetric, readMetrics, type Registry } from '../metrics';
import { describeProcess, REPORTED_METRICS } from './process-report';

/** The state that each process publishes in the key-value store every few seconds. */
const heartbeat = z.object({
  /** The app: `reader`, `history-api`. */
  kind: z.string(),
  host: z.string(),
  pid: z.int(),
  /** When it started, ISO 8601. */
  since: z.string(),
  status: healthStatus,
  /** Workers only: the head of the source as far as the process knows it. */
  headBlock: z.int().optional(),
  work: z.object({ unit: z.enum(['blocks', 'requests']), perSecond: z.number() }),
  /** A process of an earlier version has none. */
  report: processReport.optional().catch(undefined),
});
export type Heartbeat = z.output<typeof heartbeat>;

export interface HeartbeatsOptions {
  kind: string;
  keyValue: KeyValue;
  log: Logger;
  registry: Registry;
  /** The metric that counts the work of the process, and the unit that it counts. */
  work: { metric: string; unit: Heartbeat['work']['unit'] };
  readState: () => Promise<Pick<Heartbeat, 'status' | 'headBlock'>>;
}

const HEARTBEAT_EVERY_MS = 3_000;
/** Reports ask the broker and the store for some of their figures, so that they are made less often than heartbeats. */
const REPORT_EVERY_MS = 9_000;
/** A process without a heartbeat for this time counts as ended. */
export const HEARTBEAT_TTL_MS = 10_000;
const GROUP = 'heartbeats';

export interface Heartbeats {
  /** Publishes a heartbeat at once, after a change of state. */
  beat(): void;
  /** Stops the heartbeats and removes the last one. */
  stop(): Promise<void>;
}

/** Publishes heartbeats at intervals until `stop`. Failures of the key-value store are ignored. */
export function startHeartbeats(options: HeartbeatsOptions): Heartbeats {
  const { kind, keyValue } = options;
  const id = `${kind}-${randomUUID()}`;
  const since = new Date().toISOString();
  const readWork = createWorkMeter(options.registry, options.work.metric);
  const readReport = createReportReader(options.registry, options.log);
  let beating = Promise.resolve();
  let waiting = 0;
  let isChanged = false;

  async function publish(): Promise<void> {
    const { status, headBlock } = await options.readState();
    const { perSecond, lastAt } = await readWork();
    const needsReport = isChanged;
    isChanged = false;
    const report: ProcessReport = { last_progress_at: lastAt, ...(await readReport(needsReport)) };
    const work = { unit: options.work.unit, perSecond };
    const current: Heartbeat = { kind, host: hostname(), pid: process.pid, since, status, headBlock, work, report };
    await keyValue.setMember(GROUP, id, JSON.stringify(current), HEARTBEAT_TTL_MS);
  }

  function publishNext(): void {
    waiting++;
    beating = beating
      .then(publish)
      .catch(() => undefined)
      .finally(() => waiting--);
  }

  publishNext();
  // Skipped while an earlier heartbeat is still being written.
  const timer = setInterval(() => waiting === 0 && publishNext(), HEARTBEAT_EVERY_MS);
  return {
    beat() {
      isChanged = true;
      publishNext();
    },
    async stop() {
      clearInterval(timer);
      await beating;
      await keyValue.deleteMember(GROUP, id).catch(() => undefined);
    },
  };
}

/** The current heartbeats by process id. Rejects with the errors of `KeyValue`. */
export async function readHeartbeats(keyValue: KeyValue): Promise<Map<string, Heartbeat>> {
  const heartbeats = new Map<string, Heartbeat>();
  for (const [id, value] of await keyValue.listMembers(GROUP)) {
    const parsed = parseHeartbeat(value);
    if (parsed) heartbeats.set(id, parsed);
  }
  return heartbeats;
}

/** Undefined for a heartbeat in the format of another version. */
function parseHeartbeat(value: string): Heartbeat | undefined {
  try {
    return heartbeat.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}

/** Measures the growth of a metric per second between two calls, and when a call last found it grown. */
function createWorkMeter(
  registry: Registry,
  metric: string,
): () => Promise<{ perSecond: number; lastAt: number | undefined }> {
  let last: { value: number; at: number } | undefined;
  let lastAt: number | undefined;
  return async () => {
    const now = { value: (await readMetric(registry, metric)) ?? 0, at: performance.now() };
    if (now.value > (last?.value ?? 0)) lastAt = Date.now();
    const rate = last && now.at > last.at ? (now.value - last.value) / ((now.at - last.at) / 1000) : 0;
    last = now;
    return { perSecond: Math.round(rate * 10) / 10, lastAt };
  };
}

/** Reads the report of this process, which is reused for a few heartbeats unless its state has changed. */
function createReportReader(registry: Registry, log: Logger): (isChanged: boolean) => Promise<ProcessReport> {
  let last: { report: ProcessReport; at: number } | undefined;
  return async (isChanged) => {
    if (!last || isChanged || performance.now() - last.at >= REPORT_EVERY_MS) {
      const metrics = await readMetrics(registry, REPORTED_METRICS);
      last = { report: describeProcess(metrics, [log]), at: performance.now() };
    }
    return last.report;
  };
}
