import { parsePublicKey } from '@antelope-history/abi';
import type { CreateEndpoint } from '@antelope-history/endpoint-kit';
import type { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { accountsOfCompleteState } from './complete-state';

export const createGetKeyAccounts: CreateEndpoint<typeof HISTORY_ROUTES.getKeyAccounts> = ({ reader }) => {
  return async (request) => {
    const found = await reader.getKeyAccounts(parsePublicKey(request.public_key));
    return { body: { account_names: accountsOfCompleteState(found) } };
  };
};
