import { type CreateEndpoint, parseAccountName } from '@antelope-history/endpoint-kit';
import type { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { accountsOfCompleteState } from './complete-state';

export const createGetControlledAccounts: CreateEndpoint<typeof HISTORY_ROUTES.getControlledAccounts> = ({
  reader,
}) => {
  return async (request) => {
    const actor = parseAccountName('controlling_account', request.controlling_account);
    const found = await reader.getControlledAccounts(actor);
    return { body: { controlled_accounts: accountsOfCompleteState(found) } };
  };
};
