import type { ChainsHealthResponse, HealthResponse, HealthStatus } from '@antelope-history/schemas';
import { readServiceVersion } from '@antelope-history/app-runtime';

interface ChainHealth {
  name: string;
  status: { readHealth(): Promise<HealthResponse> };
}

/** The health of all chains of a gateway. */
export function createChainsHealth(chains: readonly ChainHealth[]): () => Promise<ChainsHealthResponse> {
  const version = readServiceVersion();
  return async () => {
    const read = await Promise.all(chains.map(async ({ name, status }) => [name, await status.readHealth()] as const));
    return { status: overall(read.map(([, { status }]) => status)), version, chains: Object.fromEntries(read) };
  };
}

/** `down` only when no chain can be queried: a gateway that serves some of them has to keep its clients. */
function overall(statuses: HealthStatus[]): HealthStatus {
  if (statuses.every((status) => status === 'down')) return 'down';
  if (statuses.some((status) => status === 'down' || status === 'degraded')) return 'degraded';
  return statuses.every((status) => status === 'ok') ? 'ok' : 'catching_up';
}
