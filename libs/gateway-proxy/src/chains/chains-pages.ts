import {
  type ChainsHealthResponse,
  type ShortChainsHealthResponse,
  shortChainsHealthResponse,
} from '@antelope-history/schemas';
import {
  healthRoute,
  type HttpRoute,
  liveRoute,
  metricsRoute,
  type PublicPath,
  type Registry,
} from '@antelope-history/app-runtime';
import { fixedPageRoutes } from '../web-page/web-page-routes';

export interface ChainsPages {
  shown: readonly PublicPath[];
  names: readonly string[];
  readHealth(): Promise<ChainsHealthResponse>;
  registry: Registry;
}

/** The pages of a gateway of several chains that belong to no chain: its health, and at `/` the list of the chains. */
export function chainsPages({ shown, names, readHealth, registry }: ChainsPages): HttpRoute[] {
  const shows = (...paths: PublicPath[]): boolean => paths.some((path) => shown.includes(path));
  const readShort = async () => shortChainsHealthResponse.parse(await readHealth());
  const routes: HttpRoute[] = [];
  if (shows('live')) routes.push(liveRoute());
  if (shows('health_details')) routes.push(healthRoute(readHealth));
  else if (shows('health')) routes.push(healthRoute(readShort));
  if (shows('metrics')) routes.push(metricsRoute(registry));
  if (shows('status_page', 'explorer')) routes.push(...fixedPageRoutes(async () => renderList(await readShort())));
  else if (shows('docs')) routes.push(...fixedPageRoutes(() => Promise.resolve(renderNames(names))));
  return routes;
}

function renderList({ chains }: ShortChainsHealthResponse): string {
  const rows = Object.entries(chains).map(
    ([name, { status, committed_block_num: committed, head_block_num: head }]) =>
      `<tr><th scope="row"><a href="./${name}/">${name}</a></th>` +
      `<td class="${status}"><span class="state">${status.replace('_', ' ')}</span></td>` +
      `<td class="number">${numberOf(committed)}</td><td class="number">${numberOf(head)}</td></tr>`,
  );
  return (
    '<h1>Chains</h1><div class="card"><table><thead><tr><th scope="col">Chain</th><th scope="col">State</th>' +
    '<th scope="col" class="number">Committed block</th><th scope="col" class="number">Head</th></tr></thead>' +
    `<tbody>${rows.join('')}</tbody></table></div>`
  );
}

function renderNames(names: readonly string[]): string {
  return `<h1>Chains</h1><ul>${names.map((name) => `<li><a href="./${name}/docs">${name}</a></li>`).join('')}</ul>`;
}

function numberOf(block: number | null): string {
  return block === null ? 'unknown' : block.toLocaleString('en-US');
}
