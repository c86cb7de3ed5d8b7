import type { HealthResponse, HealthStatus } from '@antelope-history/schemas';
import { resultWithin } from '../result-within';

const COMPONENT_LIMIT_MS = 2_000;

/** The result of a request to a component for a health query; undefined when it fails or takes longer than two seconds. */
export function resultOfComponent<T>(asked: Promise<T>): Promise<T | undefined> {
  return resultWithin(asked, COMPONENT_LIMIT_MS, undefined);
}

/** The status of a process: `down` without a component that it needs, `degraded` while any of them has a fault. */
export function statusWith(needed: readonly Component[], others: readonly Component[]): HealthStatus {
  if (needed.some(({ status }) => status === 'down')) return 'down';
  return [...needed, ...others].every(({ status }) => status === 'ok') ? 'ok' : 'degraded';
}

type Component = HealthResponse['components'][string];

/** `ok` when a request to a component succeeds, `down` when it fails or takes longer than two seconds. */
export function statusOf(asked: Promise<unknown>): Promise<HealthStatus> {
  return resultWithin(
    asked.then((): HealthStatus => 'ok'),
    COMPONENT_LIMIT_MS,
    'down',
  );
}
