import {
  collectDefaultMetrics,
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { droppedLogLines } from './log-output';

export { Registry } from 'prom-client';

/** The metrics of one process: those of Node.js, and those that the components of the process add. */
export function createProcessRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  counter(registry, {
    name: 'history_log_lines_dropped_total',
    help: 'Lines of logs that were dropped because the disk or the pipe did not take them',
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
  return registry;
}

/** The metrics of every HTTP app. Several apps of one process share the metrics and differ in the label `app`. */
export interface HttpMetrics {
  started(): void;
  /**
   * `path`: the path of the route, never the text from the client, which would create unbounded series. `status`: undefined when
   * the client left before the response began.
   */
  finished(path: string, status: number | undefined, seconds: number): void;
}

/** The metric that heartbeats report as the throughput of a process that responds to requests. */
export const HTTP_WORK = { metric: 'http_requests_total', unit: 'requests' } as const;
/** The status of a request whose client left before the response began. */
const ABORTED = 'aborted';
const STATUSES = ['2xx', '4xx', '5xx', ABORTED];
export const UNKNOWN_PATH = 'unknown';

export function createHttpMetrics(registry: Registry, app: string, paths: string[]): HttpMetrics {
  const requests = counter(registry, {
    name: HTTP_WORK.metric,
    help: 'Requests by app, path and class of the response’s status; aborted: the client left before the response began',
    labelNames: ['app', 'path', 'status'],
  });
  const durations = histogram(registry, {
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its response',
    labelNames: ['app', 'path'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  const inFlight = gauge(registry, {
    name: 'http_requests_in_flight',
    help: 'Requests in progress',
    labelNames: ['app'],
  });
  inFlight.set({ app }, 0);
  for (const path of [...paths, UNKNOWN_PATH]) {
    durations.zero({ app, path });
    for (const status of STATUSES) requests.inc({ app, path, status }, 0);
  }
  const inProgress = inFlight.labels({ app });
  const countOf = remembered((series: string) => {
    const [path = '', status = ''] = series.split(' ');
    return requests.labels({ app, path, status });
  });
  const timesOf = remembered((path: string) => durations.labels({ app, path }));
  return {
    started: () => inProgress.inc(),
    finished(path, status, seconds) {
      inProgress.dec();
      countOf(`${path} ${status === undefined ? ABORTED : `${Math.floor(status / 100)}xx`}`).inc();
      timesOf(path).observe(seconds);
    },
  };
}

/**
 * Returns the value that `make` made for a key before. A series of a metric is found by a text that the library makes of all
 * labels each time; the paths and statuses of an app are few.
 */
function remembered<Value>(make: (key: string) => Value): (key: string) => Value {
  const made = new Map<string, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) made.set(key, (value = make(key)));
    return value;
  };
}

/** Returns the metric of that name in the registry, and creates it at first use; `gauge` and `histogram` do the same. */
export function counter<Label extends string>(
  registry: Registry,
  options: Omit<CounterConfiguration<Label>, 'registers'>,
): Counter<Label> {
  return findMetric(registry, options.name, Counter<Label>) ?? new Counter({ ...options, registers: [registry] });
}

export function gauge<Label extends string>(
  registry: Registry,
  options: Omit<GaugeConfiguration<Label>, 'registers'>,
): Gauge<Label> {
  return findMetric(registry, options.name, Gauge<Label>) ?? new Gauge({ ...options, registers: [registry] });
}

export function histogram<Label extends string>(
  registry: Registry,
  options: Omit<HistogramConfiguration<Label>, 'registers'>,
): Histogram<Label> {
  return findMetric(registry, options.name, Histogram<Label>) ?? new Histogram({ ...options, registers: [registry] });
}

/** The sum over the series of a metric, for a histogram the number of observations; undefined when the metric does not exist. */
export async function readMetric(registry: Registry, name: string): Promise<number | undefined> {
  const metric: { get(): Promise<{ values: { value: number; metricName?: string }[] }> } | undefined =
    registry.getSingleMetric(name);
  if (!metric) return undefined;
  const { values } = await metric.get();
  return values
    .filter(({ metricName = name }) => metricName === name || metricName === `${name}_count`)
    .reduce((sum, { value }) => sum + value, 0);
}

export type MetricsJson = MetricObjectWithValues<MetricValue<string>>[];

/** The metrics of these names that the registry has; the others are not collected. */
export async function readMetrics(registry: Registry, names: string[]): Promise<MetricsJson> {
  const metrics = names.flatMap((name) => (registry.getSingleMetric(name) as CollectedMetric | undefined) ?? []);
  return Promise.all(metrics.map((metric) => metric.get()));
}

/** `Metric` of prom-client lacks its method `get`, which all its subclasses have. */
interface CollectedMetric {
  get(): Promise<MetricsJson[number]>;
}

function findMetric<Metric>(
  registry: Registry,
  name: string,
  type: new (...args: never[]) => Metric,
): Metric | undefined {
  const metric: unknown = registry.getSingleMetric(name);
  return metric instanceof type ? metric : undefined;
}
