import type { RequestWork } from '@antelope-history/endpoint-kit';
import { JsonFragment, JsonWriter } from '@antelope-history/json';
import { RESPONSE_LIMITS, type ResponseBudget } from '@antelope-history/responses';
import { hasErrorCode } from '@antelope-history/schemas';
import type { AccountsLookup, SearchPause } from '@antelope-history/store';
import { accountsOfCompleteState } from './complete-state';

/** Reading and printing this many takes a few milliseconds. */
const FEW_ACCOUNTS = 20_000;
/** Bytes of a name of twelve characters with its quotes and a comma. */
const NAME_BYTES = 15;
/** More than two million. A part of a list would be a wrong response, so a longer list is refused. */
const MAX_ACCOUNTS = Math.floor(RESPONSE_LIMITS.bytes / NAME_BYTES) - FEW_ACCOUNTS;

/**
 * The complete list of accounts that `read` finds. Wallets create accounts that share a key by the million: such a list is read
 * again, as one of the few large responses. Throws `STATE_INCOMPLETE`, and `TOO_MANY_ACCOUNTS` for a list that fits no response.
 */
export async function listAccounts(
  read: (maxAccounts: number, pause: SearchPause) => Promise<AccountsLookup>,
  work: RequestWork,
): Promise<string[]> {
  const pause: SearchPause = (steps) => work.pauseSearch(steps);
  const few = await read(FEW_ACCOUNTS, pause).catch((error: unknown) => {
    if (hasErrorCode(error, 'TOO_MANY_ACCOUNTS')) return undefined;
    throw error;
  });
  if (few) {
    const accounts = accountsOfCompleteState(few);
    work.budget.take(NAME_BYTES * accounts.length);
    return accounts;
  }
  await work.becomeLarge();
  return work.run(renderAccounts(accountsOfCompleteState(await read(MAX_ACCOUNTS, pause)), work.budget));
}

/** Names need no escaping. Yields between them. */
function* renderAccounts(accounts: readonly string[], budget: ResponseBudget): Generator<void, string[]> {
  const out = new JsonWriter().raw('[');
  for (const [index, name] of accounts.entries()) {
    out
      .raw(index === 0 ? '"' : ',"')
      .raw(name)
      .raw('"');
    budget.take(NAME_BYTES);
    if (budget.isPauseDue()) yield;
  }
  return new JsonFragment<string[]>(out.raw(']').pieces()).inPlace();
}
