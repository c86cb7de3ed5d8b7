import { parsePublicKey } from '@antelope-history/abi';
import type { CreateEndpoint } from '@antelope-history/endpoint-kit';
import type { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { listAccounts } from './account-list';

export const createGetKeyAccounts: CreateEndpoint<typeof HISTORY_ROUTES.getKeyAccounts> = ({ reader }) => {
  return async (request, work) => {
    const key = parsePublicKey(request.public_key);
    return { body: { account_names: await listAccounts((...limits) => reader.getKeyAccounts(key, ...limits), work) } };
  };
};
