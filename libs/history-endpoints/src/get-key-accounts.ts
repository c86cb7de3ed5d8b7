import { parsePublicKey } from '@antelope-history/abi';
import type { CreateEndpoint } from '@antelope-history/endpoint-kit';
import type { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import { listAccounts } from './account-list';

export const createGetKeyAccounts: CreateEndpoint<typeof HISTORY_ROUTES.getKeyAccounts> = ({ reader }) => {
  return async (request, work) => {
    const key = parseKey(request.public_key);
    return { body: { account_names: await listAccounts((...limits) => reader.getKeyAccounts(key, ...limits), work) } };
  };
};

/** The canonical bytes of a key. Throws `INVALID_PUBLIC_KEY`, which names the field of the request as other refusals do. */
function parseKey(text: string): Buffer {
  try {
    return parsePublicKey(text);
  } catch (error) {
    if (!hasErrorCode(error, 'INVALID_PUBLIC_KEY')) throw error;
    throw new HistoryError('INVALID_PUBLIC_KEY', `public_key: ${error.message}`);
  }
}
