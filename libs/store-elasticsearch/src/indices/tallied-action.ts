import type { ActionEntry, FurtherTraces } from '@antelope-history/records';

/** What the directory counts of an action. */
export interface TalliedAction {
  accounts: readonly string[];
  contract: string;
  name: string;
  /** See `FurtherTraces`: empty and 0 if there are none. */
  authorizers: readonly string[];
  furtherTraces: number;
}

/*
 * The packed form: contract:name:accounts, and :authorizers:count if there are further traces; accounts and authorizers are separated
 * by commas. Names have neither character.
 */

export function encodeTallied(
  { account, name, accounts }: Pick<ActionEntry, 'account' | 'name' | 'accounts'>,
  further: FurtherTraces | undefined,
): string {
  const traces = further ? `:${further.authorizers.join()}:${further.count}` : '';
  return `${account}:${name}:${accounts.join()}${traces}`;
}

export function decodeTallied(text: string): TalliedAction {
  const [contract = '', name = '', accounts = '', authorizers, count] = text.split(':');
  return {
    accounts: accounts.split(','),
    contract,
    name,
    authorizers: authorizers === undefined ? [] : authorizers.split(','),
    furtherTraces: Number(count ?? 0),
  };
}
