import type { StatusResponse } from '@antelope-history/schemas';
import type { HttpRoute } from '@antelope-history/app-runtime';

/** `/status`: the data of the page for operators. Status 200 also when the service is down: the page shows that. */
export function statusRoute(readStatus: () => Promise<StatusResponse>): HttpRoute {
  return {
    endpoint: 'status',
    method: 'GET',
    path: '/status',
    handlers: [
      async (_request, response) => {
        response.set('cache-control', 'no-store').json(await readStatus());
      },
    ],
  };
}
