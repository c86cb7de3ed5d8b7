import type { HealthStatus } from '@antelope-history/schemas';
import type { Registry } from '../metrics';
import type { HttpRoute } from '../http/http-app';

type ReadHealth = () => Promise<{ status: HealthStatus }>;

/** The operations pages of a process: /health, /live and /metrics. */
export function operationsRoutes(readHealth: ReadHealth, registry: Registry): HttpRoute[] {
  return [healthRoute(readHealth), liveRoute(), metricsRoute(registry)];
}

/** Status 503 when the health status is `down`. */
export function healthRoute(readHealth: ReadHealth): HttpRoute {
  return {
    endpoint: 'health',
    method: 'GET',
    path: '/health',
    handlers: [
      async (_request, response) => {
        const health = await readHealth();
        response.status(health.status === 'down' ? 503 : 200).json(health);
      },
    ],
  };
}

export function liveRoute(): HttpRoute {
  return {
    endpoint: 'live',
    method: 'GET',
    path: '/live',
    handlers: [(_request, response) => void response.json({ status: 'ok' })],
  };
}

export function metricsRoute(registry: Registry): HttpRoute {
  return {
    endpoint: 'metrics',
    method: 'GET',
    path: '/metrics',
    handlers: [
      async (_request, response) => {
        response.type(registry.contentType).send(await registry.metrics());
      },
    ],
  };
}
