import { healthAnswer, type HealthAnswer } from '@antelope-history/schemas';

const ANSWER_LIMIT_MS = 10_000;

/** How far the service is, in one look. */
export interface ServiceFigures {
  health: HealthAnswer;
  /** Since the service started. */
  indexedBlocks: number;
  indexedActions: number;
}

/** What the quick start asks the gateway. */
export class ServiceClient {
  constructor(private readonly url: string) {}

  /** Undefined while the service does not answer. */
  async readFigures(): Promise<ServiceFigures | undefined> {
    try {
      const [health, metrics] = await Promise.all([this.get('/health'), this.get('/metrics')]);
      return {
        health: healthAnswer.parse(JSON.parse(health)),
        indexedBlocks: readCounter(metrics, 'history_indexed_blocks_total'),
        indexedActions: readCounter(metrics, 'history_indexed_actions_total'),
      };
    } catch {
      return undefined;
    }
  }

  /** The answer of an endpoint; undefined unless it is a 200. */
  async post(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const answer: unknown = await response.json();
    return response.ok ? answer : undefined;
  }

  private async get(path: string): Promise<string> {
    const response = await fetch(`${this.url}${path}`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    return response.text();
  }
}

/** Value of a counter without labels in the text that Prometheus reads; 0 when it is not there. */
export function readCounter(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0);
}
