import { parsePublicKey } from '@antelope-history/abi';
import type { ROUTES } from '@antelope-history/routes';
import type { Endpoint, EndpointContext } from '../endpoint';

export function createGetKeyAccounts({ reader }: EndpointContext): Endpoint<typeof ROUTES.getKeyAccounts> {
  return async (request) => {
    const { accounts } = await reader.getKeyAccounts(parsePublicKey(request.public_key));
    return { body: { account_names: accounts } };
  };
}
