import { type HealthResponse, type ShortHealthResponse, shortHealthResponse } from '@antelope-history/schemas';
import {
  healthRoute,
  type HttpRoute,
  liveRoute,
  metricsRoute,
  type PublicPath,
  type Registry,
} from '@antelope-history/app-runtime';
import { docsRoutes } from './docs-routes';
import { createGatewayHealth, type GatewayHealthDeps } from './gateway-health';
import { statusRoutes } from './status-page/status-routes';

export interface GatewayPagesDeps extends GatewayHealthDeps {
  registry: Registry;
}

/** The pages of the gateway's operations listener. */
export function createGatewayOperations(deps: GatewayPagesDeps): HttpRoute[] {
  return createGatewayPages(deps, ['live', 'health_details', 'metrics', 'status_page', 'docs']);
}

/** The gateway's pages that `shown` names; the others are unknown paths. */
export function createGatewayPages(deps: GatewayPagesDeps, shown: PublicPath[]): HttpRoute[] {
  const { registry, now = Date.now } = deps;
  const readHealth = createGatewayHealth(deps);
  const shows = (path: PublicPath): boolean => shown.includes(path);
  const routes: HttpRoute[] = [];
  if (shows('live')) routes.push(liveRoute());
  if (shows('health_details')) routes.push(healthRoute(readHealth));
  else if (shows('health')) routes.push(healthRoute(async () => shorten(await readHealth())));
  if (shows('metrics')) routes.push(metricsRoute(registry));
  const served = [...routes.map(({ path }) => path), ...(shows('docs') ? ['/docs', '/openapi.json'] : [])];
  if (shows('status_page')) routes.push(...statusRoutes(readHealth, served, now));
  if (shows('docs')) routes.push(...docsRoutes([...served, ...(shows('status_page') ? ['/'] : [])]));
  return routes;
}

/** Keeps the status and the block numbers; the components are not for clients. */
function shorten(health: HealthResponse): ShortHealthResponse {
  return shortHealthResponse.parse(health);
}
