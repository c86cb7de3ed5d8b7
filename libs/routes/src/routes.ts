import { CHAIN_ROUTES } from '@antelope-history/chain-routes';
import { HISTORY_ROUTES } from '@antelope-history/history-routes';
import type { RouteTable } from '@antelope-history/schemas';
import { TRACE_ROUTES } from '@antelope-history/trace-routes';

export { ACTIONS_BY_ROWS_PATH, STREAM } from '@antelope-history/history-routes';

/** The endpoints of all groups, for the gateway, the documentation and the tools. */
export const ROUTES = { ...HISTORY_ROUTES, ...CHAIN_ROUTES, ...TRACE_ROUTES } as const satisfies RouteTable;

/** Names one endpoint, e.g. `getActions`. */
export type RouteKey = keyof typeof ROUTES;
