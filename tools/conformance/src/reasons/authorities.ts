import { readName } from '@antelope-history/abi';
import type { JsonValue } from '@antelope-history/json';
import type { Difference } from '../difference';
import type { Reason } from '../comparison';
import { PermissionState } from '../permission-state';
import { actionTraces, executedTraces, fromHex } from '../recorded-block';
import type { RecordedChain } from '../recorded-chain';

export interface AuthorityContext {
  chain: RecordedChain;
  /** A key in the node's text form, or an account. */
  authorizer: string;
}

/** Proof: our additional accounts are all of the initial state, and no action set a permission of them. */
const firstState: Reason<AuthorityContext> = {
  name: 'first-state',
  sentence:
    'Accounts that exist from the start of the chain or its snapshot (`eosio`, `eosio.prods`) are found; the history plugin learns of permissions only from `newaccount` and `updateauth`.',
  explains(difference, _, { chain, authorizer }) {
    const { added, missing } = changesOf(difference);
    const first = ownersIn(firstStateOf(chain), authorizer);
    return missing.length === 0 && added.every((account) => first.includes(account) && !isSetByAction(chain, account));
  },
};

/**
 * nodeos rewrites `eosio.prods` at a new schedule without an action and without touching `last_updated`
 * (libraries/chain/controller.cpp, update_producers_authority), which plugins/chain_plugin/account_query_db.cpp
 * needs to detect changes. Proof: the recorded response has the differing accounts as in the initial state, ours has them
 * as in the last delta, and no action set a permission of them.
 */
const producersAuthority: Reason<AuthorityContext> = {
  name: 'producers-authority',
  sentence:
    '`eosio.prods` is controlled by the producers of the active schedule, as on the chain; the node’s `get_accounts_by_authorizers` still has the authority of genesis, because no action changes it.',
  explains(difference, _, { chain, authorizer }) {
    const { added, missing } = changesOf(difference);
    const [first, last] = [ownersIn(firstStateOf(chain), authorizer), ownersIn(chain.permissions, authorizer)];
    return (
      [...added, ...missing].every((account) => !isSetByAction(chain, account)) &&
      added.every((account) => last.includes(account) && !first.includes(account)) &&
      missing.every((account) => first.includes(account) && !last.includes(account))
    );
  },
};

export const PLUGIN_REASONS: readonly Reason<AuthorityContext>[] = [firstState];
export const NODE_REASONS: readonly Reason<AuthorityContext>[] = [producersAuthority];

/** The accounts that only our response has, and the accounts that only the recorded response has. */
function changesOf({ recorded, ours }: Difference): { added: string[]; missing: string[] } {
  const [left, right] = [namesOf(recorded), namesOf(ours)];
  return {
    added: right.filter((name) => !left.includes(name)),
    missing: left.filter((name) => !right.includes(name)),
  };
}

function namesOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function ownersIn(permissions: PermissionState, authorizer: string): string[] {
  return permissions.ownersByKey().get(authorizer) ?? permissions.ownersByActor().get(authorizer) ?? [];
}

/** The permissions at the start of the chain or of its snapshot: the first deltas. */
function firstStateOf({ blocks }: RecordedChain): PermissionState {
  const state = new PermissionState();
  for (const { permissions } of blocks.values()) {
    if (permissions.length === 0) continue;
    state.apply(permissions);
    break;
  }
  return state;
}

const AUTHORITY_ACTIONS = new Set(['newaccount', 'updateauth', 'deleteauth']);

/** Whether an action of the chain set or removed a permission of the account. */
function isSetByAction({ blocks }: RecordedChain, account: string): boolean {
  return [...blocks.values()]
    .flatMap((block) => executedTraces(block).flatMap(actionTraces))
    .filter(({ receiver, act }) => receiver === 'eosio' && act.account === 'eosio' && AUTHORITY_ACTIONS.has(act.name))
    .some(({ act }) => accountOf(act.name, fromHex(act.data)) === account);
}

/** The account that an action changes. The data of `newaccount` begins with the creator. */
function accountOf(action: string, data: Buffer): string {
  return readName(data, action === 'newaccount' ? 8 : 0);
}
