import type { HealthStatus } from '@antelope-history/schemas';
import { answerInTime } from '../answer-in-time';

const ANSWER_LIMIT_MS = 2_000;

/** What a component answers to a question of those who watch; undefined when it fails to, or takes too long. */
export function answerOf<T>(asked: Promise<T>): Promise<T | undefined> {
  return answerInTime(asked, ANSWER_LIMIT_MS, undefined);
}

/** `down` when a component does not answer so. */
export function statusOf(asked: Promise<unknown>): Promise<HealthStatus> {
  return answerInTime(
    asked.then((): HealthStatus => 'ok'),
    ANSWER_LIMIT_MS,
    'down',
  );
}
