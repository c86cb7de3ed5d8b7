import { readFileSync } from 'node:fs';
import type { Logger } from '../logger';

/** What a process opens besides the connections of clients: those to upstreams, files, timers of the event loop. */
const OTHER_FILES = 200;
const OPEN_FILES = /^Max open files +(\d+) /m;

/**
 * Logs when the system lets this process open fewer files than the connections that it accepts: further ones are closed without a line
 * or a count, because node:http does not learn of them. `readLimits`: in the place of the limits that Linux shows, for tests.
 */
export function warnOfFewOpenFiles(
  { maxConnections }: { maxConnections: number },
  log: Logger,
  readLimits = (): string => readFileSync('/proc/self/limits', 'utf8'),
): void {
  const limit = Number(OPEN_FILES.exec(tryTo(readLimits) ?? '')?.[1] ?? Infinity);
  if (limit >= maxConnections + OTHER_FILES) return;
  log.warn(
    { openFiles: limit, maxConnections },
    'this process may open too few files for gateway.max_connections; raise the limit (ulimit -n, LimitNOFILE), or lower the key',
  );
}

function tryTo(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
