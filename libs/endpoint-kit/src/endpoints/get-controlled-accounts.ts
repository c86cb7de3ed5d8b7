import type { ROUTES } from '@antelope-history/routes';
import type { Endpoint, EndpointContext } from '../endpoint';
import { parseAccountName } from '../names';

export function createGetControlledAccounts({
  reader,
}: EndpointContext): Endpoint<typeof ROUTES.getControlledAccounts> {
  return async (request) => {
    const actor = parseAccountName('controlling_account', request.controlling_account);
    const { accounts } = await reader.getControlledAccounts(actor);
    return { body: { controlled_accounts: accounts } };
  };
}
