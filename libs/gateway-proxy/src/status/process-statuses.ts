import type { ProcessStatus, StatusResponse } from '@antelope-history/schemas';
import type { Heartbeat } from '@antelope-history/app-runtime';

/** The page shows at most this many processes, so that its size has a limit. */
const MAX_PROCESSES = 500;

export function describeHeartbeats(heartbeats: Heartbeat[]): ProcessStatus[] {
  const statuses = heartbeats.map(({ kind, host, pid, since, status, work, report }): ProcessStatus => {
    const speed = { [`${work.unit}_per_second`]: work.perSecond };
    return { kind, host, pid, since, status, ...speed, ...(report ?? { version: 'unknown' }) };
  });
  return statuses
    .sort((one, other) => compare(one.kind, other.kind) || compare(one.since, other.since))
    .slice(0, MAX_PROCESSES);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/**
 * The figures of all processes together. Queues, dead letters and free bytes are not summed, because every indexer reports the
 * same queues and the same disk.
 */
export function totalsOf(processes: ProcessStatus[]): StatusResponse['totals'] {
  const known = <T>(values: (T | undefined)[]): T[] => values.filter((value) => value !== undefined);
  const sum = (values: number[]): number | undefined =>
    values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
  const queues = known(processes.map(({ queue_messages }) => queue_messages)).flatMap(Object.entries<number>);
  const messages = new Map<string, number>();
  for (const [queue, count] of queues) messages.set(queue, Math.max(count, messages.get(queue) ?? 0));
  const deadLetters = known(processes.map(({ dead_letters }) => dead_letters));
  const freeBytes = known(processes.map(({ store_free_bytes }) => store_free_bytes));
  return {
    forks: sum(known(processes.map(({ forks }) => forks))),
    nodes_refused: sum(known(processes.map(({ nodes_refused }) => nodes_refused))),
    dead_letters: deadLetters.length > 0 ? Math.max(...deadLetters) : undefined,
    queue_messages: messages.size > 0 ? Object.fromEntries(messages) : undefined,
    store_free_bytes: freeBytes.length > 0 ? Math.min(...freeBytes) : undefined,
  };
}
