import { type CreateEndpoint, parseAccountName } from '@antelope-history/endpoint-kit';
import type { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { listAccounts } from './account-list';

export const createGetControlledAccounts: CreateEndpoint<typeof HISTORY_ROUTES.getControlledAccounts> = ({
  reader,
}) => {
  return async (request, work) => {
    const actor = parseAccountName('controlling_account', request.controlling_account);
    return {
      body: {
        controlled_accounts: await listAccounts((...limits) => reader.getControlledAccounts(actor, ...limits), work),
      },
    };
  };
};
