import type { ProcessReport } from '@antelope-history/schemas';
import { lastErrorOf, type Logger } from '../logger';
import type { MetricsJson } from '../metrics';
import { readServiceVersion } from '../version';

/** The metric of each figure of a report. */
const FIGURES = {
  memory_bytes: 'process_resident_memory_bytes',
  indexed_blocks: 'history_indexed_blocks_total',
  indexed_actions: 'history_indexed_actions_total',
  forks: 'history_forks_total',
  nodes_refused: 'history_ship_nodes_refused_total',
  dead_letters: 'history_dead_letters',
  store_free_bytes: 'history_store_free_bytes',
} satisfies Partial<Record<keyof ProcessReport, string>>;
const QUEUES = 'history_queue_messages';
const LAST_COMMIT = 'history_last_commit_timestamp_seconds';

/** The metrics that `describeProcess` reads: collecting all of a process takes longer. */
export const REPORTED_METRICS = [...Object.values(FIGURES), QUEUES, LAST_COMMIT];

/** The report of a process from its metrics and the last error of its loggers. */
export function describeProcess(metrics: MetricsJson, logs: Logger[]): ProcessReport {
  const seriesOf = (name: string) => metrics.find((metric) => metric.name === name)?.values ?? [];
  const report: ProcessReport = { version: readServiceVersion() };
  for (const [figure, name] of Object.entries(FIGURES) as [keyof typeof FIGURES, string][]) {
    const series = seriesOf(name);
    if (series.length > 0) report[figure] = series.reduce((sum, { value }) => sum + value, 0);
  }
  const queues = seriesOf(QUEUES).map(({ labels, value }) => [String(labels['queue']), value] as const);
  if (queues.length > 0) report.queue_messages = Object.fromEntries(queues);
  const committedAt = seriesOf(LAST_COMMIT)[0]?.value ?? 0;
  if (committedAt > 0) report.last_progress_at = committedAt * 1000;
  const [error] = logs.flatMap((log) => lastErrorOf(log) ?? []).sort((one, other) => other.at - one.at);
  if (error) report.last_error = error;
  return report;
}
