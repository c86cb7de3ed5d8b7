import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** What the main thread and the ingestion thread say to each other. */
export type ToIngestion = { kind: 'stop' } | { kind: 'metrics'; id: number };

export type FromIngestion =
  | { kind: 'ready' }
  | { kind: 'metrics'; id: number; metrics: MetricObjectWithValues<MetricValue<string>>[] }
  | { kind: 'failed'; error: { code: string | undefined; message: string } };
