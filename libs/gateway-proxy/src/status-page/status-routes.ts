import type { HealthResponse } from '@antelope-history/schemas';
import type { HttpRoute } from '@antelope-history/app-runtime';
import { renderStatusPage, STATUS_PAGE_HEADERS } from './render-status-page';

/** The status page at `/`. It is served even when the service is down, and says so. It links only to paths of `served`. */
export function statusRoutes(
  readHealth: () => Promise<HealthResponse>,
  served: string[],
  now: () => number,
): HttpRoute[] {
  return [
    {
      endpoint: 'status',
      method: 'GET',
      path: '/',
      handlers: [
        async (_request, response) => {
          const health = await readHealth();
          response
            .set(STATUS_PAGE_HEADERS)
            .type('html')
            .send(renderStatusPage(health, served, new Date(now())));
        },
      ],
    },
  ];
}
