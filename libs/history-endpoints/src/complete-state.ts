import { HistoryError } from '@antelope-history/schemas';
import type { AccountsLookup } from '@antelope-history/store';

/** The accounts found. Throws `STATE_INCOMPLETE` where accounts could be missing among them. */
export function accountsOfCompleteState({ status, accounts }: AccountsLookup): string[] {
  if (!status.lacksState) return accounts;
  const first = status.firstBlockNum ?? 'none';
  throw new HistoryError(
    'STATE_INCOMPLETE',
    `the history began at block ${first}, without the permissions from before`,
  );
}
