import { isWildcard } from '@antelope-history/connectivity';
import {
  type HealthResponse,
  type ShortHealthResponse,
  shortHealthResponse,
  type StatusResponse,
} from '@antelope-history/schemas';
import {
  type Config,
  healthRoute,
  type HttpRoute,
  liveRoute,
  metricsRoute,
  type PublicPath,
  type Registry,
} from '@antelope-history/app-runtime';
import { ACTIONS_BY_ROWS_PATH, ROUTES } from '@antelope-history/routes';
import { docsRoutes } from './docs-routes';
import type { GatewayStatus } from './status/gateway-status';
import { statusRoute } from './status/status-route';
import { type PageSettings, webPageRoutes } from './web-page/web-page-routes';

export interface GatewayPagesDeps {
  config: Pick<Config, 'api' | 'gateway'>;
  status: Pick<GatewayStatus, 'read' | 'readHealth'>;
  registry: Registry;
  /** The name of the chain, if the gateway serves several chains. */
  chainName?: string;
}

/**
 * The pages of the gateway's operations listener. If the gateway serves several chains, the paths of these pages begin with the
 * name of the chain. The explorer sends its requests to the port for clients.
 */
export function createGatewayOperations(deps: GatewayPagesDeps): HttpRoute[] {
  const { port, host, publicUrl } = deps.config.gateway;
  const path = deps.chainName === undefined ? '' : `/${deps.chainName}`;
  const onlyAddress = isWildcard(host) ? {} : { host };
  const api = publicUrl === undefined ? { port, path, ...onlyAddress } : { url: publicUrl.replace(/\/+$/, '') + path };
  const shown: PublicPath[] = ['live', 'health_details', 'metrics', 'status_page', 'explorer', 'docs'];
  const pages = createPages(deps, { shown, api, readStatus: () => deps.status.read() });
  return pages.map((page) => ({ ...page, path: path + page.path }));
}

/** The gateway's pages for clients: those that `gateway.public_paths` lists. All others are unknown paths. */
export function createGatewayPages(deps: GatewayPagesDeps): HttpRoute[] {
  const readStatus = async () => withoutInternals(await deps.status.read());
  return createPages(deps, { shown: deps.config.gateway.publicPaths, api: 'same origin', readStatus });
}

interface Pages {
  shown: PublicPath[];
  api: PageSettings['api'];
  readStatus: () => Promise<StatusResponse>;
}

function createPages(deps: GatewayPagesDeps, { shown, api, readStatus }: Pages): HttpRoute[] {
  const { config, status, registry, chainName } = deps;
  const shows = (path: PublicPath): boolean => shown.includes(path);
  const { readHealth } = status;
  const routes: HttpRoute[] = [];
  if (shows('live')) routes.push(liveRoute());
  if (shows('health_details')) routes.push(healthRoute(readHealth));
  else if (shows('health')) routes.push(healthRoute(async () => shorten(await readHealth())));
  if (shows('metrics')) routes.push(metricsRoute(registry));
  if (shows('status_page')) routes.push(statusRoute(readStatus));
  const served = [...routes.map(({ path }) => path), ...(shows('docs') ? ['/docs', '/openapi.json'] : [])];
  const views = { status: shows('status_page'), explorer: shows('explorer') };
  const hasPage = views.status || views.explorer;
  const chain = chainName === undefined ? {} : { chain: chainName };
  const actionsPath = config.api.positions === 'rows' ? ROUTES.getActions.path : ACTIONS_BY_ROWS_PATH;
  if (hasPage) routes.push(...webPageRoutes({ ...views, ...chain, links: served, api, actionsPath }));
  if (shows('docs')) routes.push(...docsRoutes([...served, ...(hasPage ? ['/'] : [])], config.api.positions));
  return routes;
}

/** Removes the names of machines, the process ids and the last errors, which are not for clients. */
function withoutInternals(status: StatusResponse): StatusResponse {
  const processes = status.processes.map(({ host: _host, pid: _pid, last_error: _error, ...shown }) => shown);
  return { ...status, processes };
}

/** Leaves out the components and incomplete ranges, which are not for clients. */
function shorten(health: HealthResponse): ShortHealthResponse {
  return shortHealthResponse.parse(health);
}
