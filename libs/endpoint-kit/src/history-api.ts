import type { Express } from 'express';
import { ROUTES } from '@antelope-history/routes';
import { createGetActions } from './endpoints/get-actions';
import { createGetControlledAccounts } from './endpoints/get-controlled-accounts';
import { createGetKeyAccounts } from './endpoints/get-key-accounts';
import { createGetTransaction } from './endpoints/get-transaction';
import { createApi, type ApiDeps, serve } from './create-api';

/** `/v1/history`: actions, transactions, and the accounts of keys and accounts. */
export function createHistoryApi(deps: ApiDeps): Express {
  return createApi('history-api', deps, [
    serve(ROUTES.getActions, createGetActions, { mayBeFinal: false }),
    serve(ROUTES.getControlledAccounts, createGetControlledAccounts, { mayBeFinal: false }),
    serve(ROUTES.getKeyAccounts, createGetKeyAccounts, { mayBeFinal: false }),
    serve(ROUTES.getTransaction, createGetTransaction, { mayBeFinal: true }),
  ]);
}
