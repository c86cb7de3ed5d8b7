import { type HealthResponse, type ShortHealthResponse, shortHealthResponse } from '@antelope-history/schemas';
import {
  type Config,
  healthRoute,
  type HttpRoute,
  liveRoute,
  metricsRoute,
  type PublicPath,
  type Registry,
} from '@antelope-history/app-runtime';
import { docsRoutes } from './docs-routes';
import type { GatewayStatus } from './status/gateway-status';
import { statusRoute } from './status/status-route';
import { type PageSettings, webPageRoutes } from './web-page/web-page-routes';

export interface GatewayPagesDeps {
  config: Pick<Config, 'gateway'>;
  status: Pick<GatewayStatus, 'read' | 'readHealth'>;
  registry: Registry;
}

/** The pages of the gateway's operations listener. Its explorer sends its requests to the port for clients. */
export function createGatewayOperations(deps: GatewayPagesDeps): HttpRoute[] {
  const { port, publicUrl } = deps.config.gateway;
  const api = publicUrl === undefined ? { port } : { url: publicUrl };
  return createPages(deps, ['live', 'health_details', 'metrics', 'status_page', 'explorer', 'docs'], api);
}

/** The gateway's pages for clients, which the configuration names; the others are unknown paths. */
export function createGatewayPages(deps: GatewayPagesDeps): HttpRoute[] {
  return createPages(deps, deps.config.gateway.publicPaths, 'same origin');
}

function createPages(
  { status, registry }: GatewayPagesDeps,
  shown: PublicPath[],
  api: PageSettings['api'],
): HttpRoute[] {
  const shows = (path: PublicPath): boolean => shown.includes(path);
  const { readHealth } = status;
  const routes: HttpRoute[] = [];
  if (shows('live')) routes.push(liveRoute());
  if (shows('health_details')) routes.push(healthRoute(readHealth));
  else if (shows('health')) routes.push(healthRoute(async () => shorten(await readHealth())));
  if (shows('metrics')) routes.push(metricsRoute(registry));
  if (shows('status_page')) routes.push(statusRoute(() => status.read()));
  const served = [...routes.map(({ path }) => path), ...(shows('docs') ? ['/docs', '/openapi.json'] : [])];
  const views = { status: shows('status_page'), explorer: shows('explorer') };
  const hasPage = views.status || views.explorer;
  if (hasPage) routes.push(...webPageRoutes({ ...views, links: served, api }));
  if (shows('docs')) routes.push(...docsRoutes([...served, ...(hasPage ? ['/'] : [])]));
  return routes;
}

/** Keeps the status and the block numbers; the components are not for clients. */
function shorten(health: HealthResponse): ShortHealthResponse {
  return shortHealthResponse.parse(health);
}
