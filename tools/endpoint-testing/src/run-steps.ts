import { printJson } from '@antelope-history/json';
import { NO_SIZE, ResponseBudget } from '@antelope-history/responses';

/** A budget without limits, which measures nothing. */
export class UnlimitedBudget extends ResponseBudget {
  override hasRoom = (): boolean => true;
  override measureShared = () => NO_SIZE;
  override takePart = (): boolean => true;
  override takeAnyway = (): void => undefined;
}

/** Runs a renderer to its end. */
export function runSteps<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** A response as a client parses it, and its size in bytes. */
export function received<T>(body: T): { body: T; bytes: number } {
  const printed = Buffer.concat(printJson(body));
  return { body: JSON.parse(printed.toString()) as T, bytes: printed.length };
}
