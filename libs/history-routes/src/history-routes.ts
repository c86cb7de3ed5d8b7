import type { RouteTable } from '@antelope-history/schemas';
import { getActions } from './get-actions';
import { getActionsByPosition } from './get-actions-by-position';
import { getControlledAccounts } from './get-controlled-accounts';
import { getKeyAccounts } from './get-key-accounts';
import { getTransaction } from './get-transaction';

/** `/v1/history`: actions, transactions, and the accounts of keys and accounts. */
export const HISTORY_ROUTES = {
  getActions,
  getActionsByPosition,
  getTransaction,
  getControlledAccounts,
  getKeyAccounts,
} as const satisfies RouteTable;
