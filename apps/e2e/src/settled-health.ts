import type { IndexedService } from '@antelope-history/processes';
import { type HealthResponse, healthResponse } from '@antelope-history/schemas';

/**
 * `/health` of a service's operations listener once it tells of the last block. One result of it is reused for a second, and a
 * replayed chain is "ok" at each of its blocks.
 */
export async function settledHealth({ operationsUrl, lastBlockNum }: IndexedService): Promise<HealthResponse> {
  for (;;) {
    const health = healthResponse.parse(await (await fetch(`${operationsUrl}/health`)).json());
    if (health.status === 'ok' && health.committed_block_num === lastBlockNum) return health;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
