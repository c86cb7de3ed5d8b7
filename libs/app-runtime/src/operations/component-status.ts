import type { HealthStatus } from '@antelope-history/schemas';
import { resultWithin } from '../result-within';

const COMPONENT_LIMIT_MS = 2_000;

/** The result of a request to a component for a health query; undefined when it fails or takes longer than two seconds. */
export function resultOfComponent<T>(asked: Promise<T>): Promise<T | undefined> {
  return resultWithin(asked, COMPONENT_LIMIT_MS, undefined);
}

/** `ok` when a request to a component succeeds, `down` when it fails or takes longer than two seconds. */
export function statusOf(asked: Promise<unknown>): Promise<HealthStatus> {
  return resultWithin(
    asked.then((): HealthStatus => 'ok'),
    COMPONENT_LIMIT_MS,
    'down',
  );
}
