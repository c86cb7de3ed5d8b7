import { type ApiDeps, createApi, createResponders, type HttpApp, type Respond } from '@antelope-history/endpoint-kit';
import { HISTORY_ROUTES, STREAM } from '@antelope-history/history-routes';
import { createGetActions } from './get-actions';
import { createGetActionsByPosition } from './get-actions-by-position';
import { createGetControlledAccounts } from './get-controlled-accounts';
import { createGetKeyAccounts } from './get-key-accounts';
import { createGetTransaction } from './get-transaction';
import { createStreamHandler } from './stream/stream-handler';

const NAME = 'history-api';
const ENDPOINTS = {
  getActions: createGetActions,
  getActionsByPosition: createGetActionsByPosition,
  getTransaction: createGetTransaction,
  getControlledAccounts: createGetControlledAccounts,
  getKeyAccounts: createGetKeyAccounts,
};

/** The app of `/v1/history`: actions, also as a stream, transactions, and the accounts that a key or another account controls. */
export function createHistoryApi(deps: ApiDeps): HttpApp {
  return createApi(NAME, HISTORY_ROUTES, ENDPOINTS, deps, [{ ...STREAM, handlers: [createStreamHandler(deps)] }]);
}

/** The same endpoints without HTTP, by path. */
export function createHistoryResponders(deps: ApiDeps): Map<string, Respond> {
  return createResponders(NAME, HISTORY_ROUTES, ENDPOINTS, deps);
}
