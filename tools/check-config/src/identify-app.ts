import type { ServerName } from '@antelope-history/connections';
import { ROUTES } from '@antelope-history/routes';
import { healthResponse, type RouteGroup } from '@antelope-history/schemas';
import { askHttp } from './http-answer';

/** Which app of ours answers at an address. */
export interface IdentifiedApp {
  /** `worker`: it has /health and none of the endpoints. */
  app: RouteGroup | 'gateway' | 'worker';
  health: AppHealth;
  /** The clock of its machine in milliseconds since 1970, to the second. */
  date: number | undefined;
}

/** What every app says at /health; workers say no chain. */
const appHealth = healthResponse
  .pick({ status: true, version: true })
  .extend({ chain_id: healthResponse.shape.chain_id.optional() });
type AppHealth = ReturnType<typeof appHealth.parse>;

const APIS: RouteGroup[] = [...new Set(Object.values(ROUTES).map(({ group }) => group))];
const METHOD_NOT_ALLOWED = 405;

/** Asks /health, and then which endpoints there are; undefined when it is no app of ours. Rejects as `askHttp`. */
export async function identifyApp(
  url: string,
  server: ServerName,
  signal: AbortSignal,
): Promise<IdentifiedApp | undefined> {
  const base = url.replace(/\/$/, '');
  const { body, date } = await askHttp(`${base}/health`, 'GET', server, signal);
  const { data: health } = appHealth.safeParse(body);
  if (!health) return undefined;
  // Each API refuses another method on its own paths and knows no others; the gateway knows all of them.
  const knows = await Promise.all(APIS.map((api) => knowsPath(base, api, server, signal)));
  const [only, ...others] = APIS.filter((_, index) => knows[index]);
  return { app: only === undefined ? 'worker' : others.length > 0 ? 'gateway' : only, health, date };
}

async function knowsPath(base: string, api: RouteGroup, server: ServerName, signal: AbortSignal): Promise<boolean> {
  const route = Object.values(ROUTES).find(({ group }) => group === api);
  const { status } = await askHttp(`${base}${route?.path ?? ''}`, 'GET', server, signal);
  return status === METHOD_NOT_ALLOWED;
}
