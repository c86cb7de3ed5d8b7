import { z } from 'zod';
import { requestJson } from '@antelope-history/app-runtime';
import type { Fault } from './upstream-checks';

const HEALTH_REQUEST = { method: 'GET', timeoutMs: 2_000, maxBytes: 1024 * 1024 } as const;
const reported = z.object({ status: z.string() });

/** The body of an API's `/health`, whatever its HTTP status is. Rejects as `requestJson`. */
export function requestHealth(url: string): Promise<unknown> {
  return requestJson(`${url.replace(/\/$/, '')}/health`, HEALTH_REQUEST);
}

/**
 * Checks APIs by their `/health`: whether they respond, and do not report that they are down. A URL that does not serve this path
 * has no fault: it may be that of another gateway, which hides it.
 */
export function findApiFaults(urls: readonly string[]): Promise<(Fault | undefined)[]> {
  return Promise.all(urls.map(faultOf));
}

async function faultOf(url: string): Promise<Fault | undefined> {
  try {
    const { data } = reported.safeParse(await requestHealth(url));
    return data?.status === 'down' ? { reason: 'it reports that it is down' } : undefined;
  } catch (error) {
    // Errors of the connection and of the time limit have codes; any other error is about what the server responded.
    const isSilent = (error as NodeJS.ErrnoException).code !== undefined;
    return isSilent ? { reason: 'it does not respond to /health', isSilent } : undefined;
  }
}
