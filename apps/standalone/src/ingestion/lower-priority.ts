import { getPriority, setPriority } from 'node:os';
import type { Logger } from '@antelope-history/app-runtime';

/** Linux gives a thread a third of the time of one whose niceness is lower by this, when both want the same processor: sched(7). */
const NICER_BY = 5;
const MOST = 19;

/**
 * Lets the calling thread give way to the other threads of the process: while a chain is indexed as fast as possible, clients wait
 * less for responses. Indexing uses the processor time that is left. Threads that the calling thread creates later have its
 * priority, too: those of libuv's pool, if nothing has used the pool before.
 */
export function lowerPriority(log: Logger): void {
  // Elsewhere the priority is that of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(MOST, getPriority() + NICER_BY));
  } catch (error) {
    log.warn(
      { error },
      'the system does not let indexing give way to requests: responses take longer while it catches up',
    );
  }
}
