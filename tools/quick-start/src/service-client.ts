import { healthResponse, type HealthResponse } from '@antelope-history/schemas';

const ANSWER_LIMIT_MS = 10_000;

/** How far the service is, in one look. */
export interface ServiceFigures {
  health: HealthResponse;
  committedBlock: number;
  /** Since the service started. */
  indexedBlocks: number;
  indexedActions: number;
}

/** Where a service answers. */
export interface ServiceUrls {
  /** Of the gateway. */
  url: string;
  /** Of its operations listener; figures are read there. */
  operationsUrl?: string;
}

/** What the quick start asks the service. */
export class ServiceClient {
  constructor(private readonly urls: ServiceUrls) {}

  /** Undefined while the service does not answer. */
  async readFigures(): Promise<ServiceFigures | undefined> {
    try {
      const [health, metrics] = await Promise.all([this.get('/health'), this.get('/metrics')]);
      const state = healthResponse.parse(JSON.parse(health));
      return {
        health: state,
        // /health may be a second old, the metric is not; it is 0 until this run commits.
        committedBlock: readMetric(metrics, 'history_committed_block') || (state.committed_block_num ?? 0),
        indexedBlocks: readMetric(metrics, 'history_indexed_blocks_total'),
        indexedActions: readMetric(metrics, 'history_indexed_actions_total'),
      };
    } catch {
      return undefined;
    }
  }

  /** The answer of an endpoint; undefined unless it is a 200. */
  async post(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${this.urls.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const answer: unknown = await response.json();
    return response.ok ? answer : undefined;
  }

  private async get(path: string): Promise<string> {
    const response = await fetch(`${this.urls.operationsUrl}${path}`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    return response.text();
  }
}

/** Value of a metric without labels in the text that Prometheus reads; 0 when it is not there. */
export function readMetric(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0);
}
