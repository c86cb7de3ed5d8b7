import { LineLimit, type Logger } from '@antelope-history/app-runtime';
import { type FindFaults, UpstreamChecks } from './upstream-checks';
import { Upstreams } from './upstreams';

/** Interchangeable HTTP servers that are checked, with the name that messages give them. */
export interface UpstreamSet {
  name: string;
  upstreams: Upstreams;
  checks: UpstreamChecks;
}

/** `now`: milliseconds of a steady clock. */
export function createUpstreamSet(
  name: string,
  urls: readonly string[],
  findFaults: FindFaults,
  { log, now }: { log: Logger; now: () => number },
): UpstreamSet {
  const upstreams = new Upstreams(urls, now);
  return { name, upstreams, checks: new UpstreamChecks({ name, upstreams }, findFaults, log, now) };
}

/** Logs a connection that failed. A single upstream needs no line: its request fails and is logged. */
export function logUnavailable({ name, upstreams }: UpstreamSet, log: Logger): (url: string, error: Error) => void {
  const lines = new LineLimit(log);
  return (url, error) => {
    if (upstreams.urls.length > 1)
      lines.write('warn', url, { upstream: name, url, error }, 'an upstream cannot be reached; trying another');
  };
}
