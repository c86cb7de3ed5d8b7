import { errorResponse, healthResponse, type HealthResponse } from '@antelope-history/schemas';

const RESPONSE_LIMIT_MS = 10_000;

/** Progress of the service, read at one moment. */
export interface ServiceFigures {
  health: HealthResponse;
  committedBlock: number;
  /** Counts since the service started. */
  indexedBlocks: number;
  indexedActions: number;
  /** Forks that the node sent since the service started. */
  forks: number;
}

/** URLs of a running service. */
export interface ServiceUrls {
  /** URL of the gateway. */
  url: string;
  /** URL of the operations listener that `readFigures` asks. */
  operationsUrl?: string;
}

/** No response came in time, or one that is no JSON. */
export class NoResponseError extends Error {}

/** A client of a running service: its figures, and its endpoints. */
export class ServiceClient {
  constructor(private readonly urls: ServiceUrls) {}

  /** Undefined while the service does not respond. */
  async readFigures(): Promise<ServiceFigures | undefined> {
    try {
      const [health, metrics] = await Promise.all([this.get('/health'), this.get('/metrics')]);
      const state = healthResponse.parse(JSON.parse(health));
      return {
        health: state,
        // /health may be a second old, the metric is current; the metric is 0 until this run commits.
        committedBlock: readMetric(metrics, 'history_committed_block') || (state.committed_block_num ?? 0),
        indexedBlocks: readMetric(metrics, 'history_indexed_blocks_total'),
        indexedActions: readMetric(metrics, 'history_indexed_actions_total'),
        forks: readMetric(metrics, 'history_forks_total'),
      };
    } catch {
      return undefined;
    }
  }

  /** The JSON body of an endpoint's response; undefined unless the status is 2xx. Rejects with `NoResponseError`. */
  async post(path: string, body: unknown): Promise<unknown> {
    const { isOk, json } = await this.send(path, body);
    return isOk ? json : undefined;
  }

  /** Why the status of an endpoint's response is not 2xx; undefined when it is. Rejects with `NoResponseError`. */
  async refusalOf(path: string, body: unknown): Promise<string | undefined> {
    const { isOk, json } = await this.send(path, body);
    if (isOk) return undefined;
    const { error } = errorResponse.safeParse(json).data ?? {};
    return error?.details[0]?.message ?? error?.what ?? 'it responds with an error';
  }

  /** Whether the gateway serves a page to clients. */
  async servesPage(path: string): Promise<boolean> {
    try {
      const { ok } = await fetch(this.urls.url + path, {
        method: 'HEAD',
        signal: AbortSignal.timeout(RESPONSE_LIMIT_MS),
      });
      return ok;
    } catch {
      return false;
    }
  }

  private async send(path: string, body: unknown): Promise<{ isOk: boolean; json: unknown }> {
    try {
      const response = await fetch(`${this.urls.url}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(RESPONSE_LIMIT_MS),
      });
      return { isOk: response.ok, json: await response.json() };
    } catch (error) {
      throw new NoResponseError(`${path} gives no response`, { cause: error });
    }
  }

  private async get(path: string): Promise<string> {
    const response = await fetch(`${this.urls.operationsUrl}${path}`, {
      signal: AbortSignal.timeout(RESPONSE_LIMIT_MS),
    });
    return response.text();
  }
}

/** Value of a metric without labels in the text format of Prometheus; 0 when the text does not have it. */
export function readMetric(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0);
}
