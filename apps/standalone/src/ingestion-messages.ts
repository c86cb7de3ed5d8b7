import type { LoggedError } from '@antelope-history/app-runtime';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** Messages from the main thread to the ingestion thread. */
export type ToIngestion = { kind: 'stop' } | { kind: 'metrics'; id: number };

/** Messages from the ingestion thread to the main thread. */
export type FromIngestion =
  | { kind: 'ready' }
  | {
      kind: 'metrics';
      id: number;
      metrics: MetricObjectWithValues<MetricValue<string>>[];
      lastError: LoggedError | undefined;
    }
  | { kind: 'failed'; error: { code: string | undefined; message: string } };
