import type { ServerName } from '@antelope-history/connectivity';
import { ROUTES } from '@antelope-history/routes';
import { healthResponse, type RouteGroup } from '@antelope-history/schemas';
import { requestJson } from './request-json';

/** The app that listens on an address. */
export interface IdentifiedApp {
  /** `worker`: it has /health and no endpoint. */
  app: RouteGroup | 'gateway' | 'worker';
  health: AppHealth;
  /** The clock of its machine in milliseconds since 1970, rounded to seconds. */
  date: number | undefined;
}

/** The fields that /health has in every app; workers have no `chain_id`. */
const appHealth = healthResponse
  .pick({ status: true, version: true })
  .extend({ chain_id: healthResponse.shape.chain_id.optional() });
type AppHealth = ReturnType<typeof appHealth.parse>;

const APIS: RouteGroup[] = [...new Set(Object.values(ROUTES).map(({ group }) => group))];
const METHOD_NOT_ALLOWED = 405;

/** Reads /health and probes the endpoints; undefined when the server is no app of this service. Rejects as `requestJson` does. */
export async function identifyApp(
  url: string,
  server: ServerName,
  signal: AbortSignal,
): Promise<IdentifiedApp | undefined> {
  const base = url.replace(/\/$/, '');
  const { body, date } = await requestJson(`${base}/health`, 'GET', server, signal);
  const { data: health } = appHealth.safeParse(body);
  if (!health) return undefined;
  // An API answers a wrong method with 405 on its own paths and with 404 on others; the gateway has all paths.
  const known = await Promise.all(APIS.map((api) => hasPath(base, api, server, signal)));
  const [only, ...others] = APIS.filter((_, index) => known[index]);
  return { app: only === undefined ? 'worker' : others.length > 0 ? 'gateway' : only, health, date };
}

async function hasPath(base: string, api: RouteGroup, server: ServerName, signal: AbortSignal): Promise<boolean> {
  const route = Object.values(ROUTES).find(({ group }) => group === api);
  const { status } = await requestJson(`${base}${route?.path ?? ''}`, 'GET', server, signal);
  return status === METHOD_NOT_ALLOWED;
}
