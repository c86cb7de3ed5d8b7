import { parsePublicKey, publicKeyToPubString } from '@antelope-history/abi';
import { ROUTES } from '@antelope-history/routes';
import type { Route } from '@antelope-history/schemas';
import {
  type Authorization,
  readAuthorizers,
  readHistoryResponses,
  sampleFolder,
} from '@antelope-history/test-support/recordings';
import { compareResponses, type Reason } from '../comparison';
import { inParallel } from '../in-parallel';
import { type AuthorityContext, NODE_REASONS, PLUGIN_REASONS } from '../reasons/authorities';
import type { RecordedChain } from '../recorded-chain';
import type { ServedRecording } from '../served-recording';
import { type Outcome, Tally } from '../tally';
import { type Check, REQUESTS_AT_A_TIME } from './check';

/** One of the two endpoints that find accounts by a key or an account that authorises them. */
interface Lookup {
  route: Route;
  /** The field of the request. */
  requestField: string;
  /** The field of the response. */
  responseField: string;
}

const KEYS: Lookup = { route: ROUTES.getKeyAccounts, requestField: 'public_key', responseField: 'account_names' };
const ACTORS: Lookup = {
  route: ROUTES.getControlledAccounts,
  requestField: 'controlling_account',
  responseField: 'controlled_accounts',
};

/** Compares the responses for every recorded request, and for every key and account of the chain's permissions. */
export const checkAuthorizers: Check = async (chain, served) => {
  const owners = ownersOfChain(chain);
  const hasPlugin = chain.name === 'eosio20-edge';
  const recorded = hasPlugin ? readPluginResponses(chain) : readNodeResponses(chain);
  const reasons = hasPlugin ? PLUGIN_REASONS : NODE_REASONS;
  const outcomes: Outcome[] = [];
  for (const lookup of [KEYS, ACTORS]) {
    const name = `history/${lookup.route.endpoint}`;
    outcomes.push(await compareLookups(name, lookup, recorded(lookup), reasons, chain, served));
    outcomes.push(await compareLookups(`${name}, all of SHiP`, lookup, owners(lookup), [], chain, served));
  }
  return outcomes;
};

/** The expected accounts by key or account. */
type Expected = (lookup: Lookup) => Map<string, string[]>;

async function compareLookups(
  title: string,
  { route, requestField, responseField }: Lookup,
  expected: Map<string, string[]>,
  reasons: readonly Reason<AuthorityContext>[],
  chain: RecordedChain,
  served: ServedRecording,
): Promise<Outcome> {
  const tally = new Tally(title, chain.name);
  await inParallel(served.some([...expected]), REQUESTS_AT_A_TIME, async ([authorizer, accounts]) => {
    const ours = await served.post(route.path, { [requestField]: authorizer });
    tally.add(
      authorizer,
      compareResponses(JSON.stringify({ [responseField]: accounts }), ours.body, reasons, { chain, authorizer }),
    );
  });
  return tally.outcome();
}

/** Reads the recorded `get_accounts_by_authorizers` of Leap, which has one entry per permission with the key or account. */
function readNodeResponses(chain: RecordedChain): Expected {
  const { keys, accounts } = readAuthorizers(sampleFolder(chain.name));
  const names = (entries: Authorization[]): string[] =>
    [...new Set(entries.map(({ account_name }) => account_name))].sort();
  return (lookup) =>
    new Map(
      Object.entries(lookup === KEYS ? keys : accounts).map(([authorizer, entries]) => [authorizer, names(entries)]),
    );
}

function readPluginResponses({ name }: RecordedChain): Expected {
  const all = [...readHistoryResponses(sampleFolder(name))].filter(({ status }) => status === 200);
  return ({ route, requestField, responseField }) =>
    new Map(
      all
        .filter(({ path }) => path === route.path)
        .map(({ request, body }) => [
          (request as Record<string, string>)[requestField] ?? '',
          (JSON.parse(body) as Record<string, string[]>)[responseField] ?? [],
        ]),
    );
}

/** Every key in both text forms, and every account, including accounts that control no other. */
function ownersOfChain({ permissions }: RecordedChain): Expected {
  const byKey = [...permissions.ownersByKey()];
  const byActor = permissions.ownersByActor();
  const pubSpelling = (key: string): string => publicKeyToPubString(parsePublicKey(key));
  return (lookup) =>
    lookup === KEYS
      ? new Map([...byKey, ...byKey.map(([key, owners]): [string, string[]] => [pubSpelling(key), owners])])
      : new Map(permissions.owners().map((account) => [account, byActor.get(account) ?? []]));
}
