import type { HealthStatus } from '@antelope-history/schemas';
import type { Registry } from '../metrics';
import type { HttpRoute } from '../http/http-app';

/** What a process answers to those who watch it: /health (503 when it is down), /live and /metrics. */
export function operationsRoutes(readHealth: () => Promise<{ status: HealthStatus }>, registry: Registry): HttpRoute[] {
  return [
    {
      endpoint: 'health',
      method: 'GET',
      path: '/health',
      handlers: [
        async (_request, response) => {
          const health = await readHealth();
          response.status(health.status === 'down' ? 503 : 200).json(health);
        },
      ],
    },
    {
      endpoint: 'live',
      method: 'GET',
      path: '/live',
      handlers: [(_request, response) => void response.json({ status: 'ok' })],
    },
    {
      endpoint: 'metrics',
      method: 'GET',
      path: '/metrics',
      handlers: [
        async (_request, response) => {
          response.type(registry.contentType).send(await registry.metrics());
        },
      ],
    },
  ];
}
