import { HistoryError } from '@antelope-history/schemas';

/** The error of a list of accounts that has more than `maxAccounts`. */
export function tooManyAccounts(maxAccounts: number): HistoryError {
  return new HistoryError(
    'TOO_MANY_ACCOUNTS',
    `more than ${maxAccounts} accounts match: a response has no room for them, and none lists a part of them`,
  );
}
