import type { HealthStatus } from '@antelope-history/schemas';
import { answerInTime } from '../answer-in-time';

const ANSWER_LIMIT_MS = 2_000;

/** The answer of a component to a health query; undefined when it fails or takes longer than two seconds. */
export function answerOf<T>(asked: Promise<T>): Promise<T | undefined> {
  return answerInTime(asked, ANSWER_LIMIT_MS, undefined);
}

/** `ok` when a component answers a health query, `down` when it fails or takes longer than two seconds. */
export function statusOf(asked: Promise<unknown>): Promise<HealthStatus> {
  return answerInTime(
    asked.then((): HealthStatus => 'ok'),
    ANSWER_LIMIT_MS,
    'down',
  );
}
