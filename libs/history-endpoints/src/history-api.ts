import type { Express } from 'express';
import { type ApiDeps, createApi } from '@antelope-history/endpoint-kit';
import { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { createGetActions } from './get-actions';
import { createGetControlledAccounts } from './get-controlled-accounts';
import { createGetKeyAccounts } from './get-key-accounts';
import { createGetTransaction } from './get-transaction';

/** The app of `/v1/history`: actions, transactions, and the accounts of keys and accounts. */
export function createHistoryApi(deps: ApiDeps): Express {
  const endpoints = {
    getActions: createGetActions,
    getTransaction: createGetTransaction,
    getControlledAccounts: createGetControlledAccounts,
    getKeyAccounts: createGetKeyAccounts,
  };
  return createApi('history-api', HISTORY_ROUTES, endpoints, deps);
}
