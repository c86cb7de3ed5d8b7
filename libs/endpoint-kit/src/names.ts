import { isName } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';

/** The chain creates no account with a longer name (nodeos libraries/chain/eosio_contract.cpp, apply_eosio_newaccount). */
const MAX_ACCOUNT_LENGTH = 12;

/** Returns the account name unchanged. Throws `INVALID_NAME`, which names the request's `field`, if no account can have it. */
export function parseAccountName(field: string, text: string): string {
  if (text.length >= 1 && text.length <= MAX_ACCOUNT_LENGTH && isName(text)) return text;
  throw new HistoryError(
    'INVALID_NAME',
    `${field}: give an account name of 1 to ${MAX_ACCOUNT_LENGTH} characters a-z, 1-5 and dots, without a dot at the end`,
  );
}

/** Returns the account or action name unchanged. Throws `INVALID_NAME`, which names the request's `field`, if it is no name. */
export function parseName(field: string, text: string): string {
  if (text !== '' && isName(text)) return text;
  throw new HistoryError(
    'INVALID_NAME',
    `${field}: names are 1 to 13 characters a-z, 1-5 and dots, without a dot at the end`,
  );
}
