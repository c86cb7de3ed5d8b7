import { parsePublicKey, publicKeyToPubString } from '@antelope-history/abi';
import { ROUTES } from '@antelope-history/routes';
import type { Route } from '@antelope-history/schemas';
import { type Authorization, readAuthorizers, readHistoryResponses, sampleFolder } from '@antelope-history/test-support/recordings';
import { compareAnswers, type Reason } from '../comparison';
import { inParallel } from '../in-parallel';
import { type AuthorityContext, NODE_REASONS, PLUGIN_REASONS } from '../reasons/authorities';
import type { RecordedChain } from '../recorded-chain';
import type { ServedRecording } from '../served-recording';
import { type Outcome, Tally } from '../tally';
import { type Check, REQUESTS_AT_A_TIME } from './check';

/** One of the two endpoints that find accounts by what authorises them. */
interface Lookup {
  route: Route;
  /** The field of the request. */
  asks: string;
  /** The field of the answer. */
  answers: string;
}

const KEYS: Lookup = { route: ROUTES.getKeyAccounts, asks: 'public_key', answers: 'account_names' };
const ACTORS: Lookup = {
  route: ROUTES.getControlledAccounts,
  asks: 'controlling_account',
  answers: 'controlled_accounts',
};

/** What was recorded, and every key and account of the chain's permissions, each against our answers. */
export const checkAuthorizers: Check = async (chain, served) => {
  const owners = ownersOfChain(chain);
  const hasPlugin = chain.name === 'eosio20-edge';
  const recorded = hasPlugin ? readPluginAnswers(chain) : readNodeAnswers(chain);
  const reasons = hasPlugin ? PLUGIN_REASONS : NODE_REASONS;
  const outcomes: Outcome[] = [];
  for (const lookup of [KEYS, ACTORS]) {
    const name = `history/${lookup.route.endpoint}`;
    outcomes.push(await compareLookups(name, lookup, recorded(lookup), reasons, chain, served));
    outcomes.push(await compareLookups(`${name}, all of SHiP`, lookup, owners(lookup), [], chain, served));
  }
  return outcomes;
};

/** Expected accounts by what was asked for. */
type Expected = (lookup: Lookup) => Map<string, string[]>;

async function compareLookups(
  title: string,
  { route, asks, answers }: Lookup,
  expected: Map<string, string[]>,
  reasons: readonly Reason<AuthorityContext>[],
  chain: RecordedChain,
  served: ServedRecording,
): Promise<Outcome> {
  const tally = new Tally(title, chain.name);
  await inParallel([...expected], REQUESTS_AT_A_TIME, async ([asked, accounts]) => {
    const ours = await served.post(route.path, { [asks]: asked });
    tally.add(asked, compareAnswers(JSON.stringify({ [answers]: accounts }), ours.body, reasons, { chain, asked }));
  });
  return tally.outcome();
}

/** `get_accounts_by_authorizers` of Leap: one entry per permission that names the key or account. */
function readNodeAnswers(chain: RecordedChain): Expected {
  const { keys, accounts } = readAuthorizers(sampleFolder(chain.name));
  const names = (entries: Authorization[]): string[] =>
    [...new Set(entries.map(({ account_name }) => account_name))].sort();
  return (lookup) =>
    new Map(Object.entries(lookup === KEYS ? keys : accounts).map(([asked, entries]) => [asked, names(entries)]));
}

function readPluginAnswers({ name }: RecordedChain): Expected {
  const all = [...readHistoryResponses(sampleFolder(name))].filter(({ status }) => status === 200);
  return ({ route, asks, answers }) =>
    new Map(
      all
        .filter(({ path }) => path === route.path)
        .map(({ request, body }) => [
          (request as Record<string, string>)[asks] ?? '',
          (JSON.parse(body) as Record<string, string[]>)[answers] ?? [],
        ]),
    );
}

/** Every key, in both spellings, and every account, also those that control nothing. */
function ownersOfChain({ permissions }: RecordedChain): Expected {
  const byKey = [...permissions.ownersByKey()];
  const byActor = permissions.ownersByActor();
  const pubSpelling = (key: string): string => publicKeyToPubString(parsePublicKey(key));
  return (lookup) =>
    lookup === KEYS
      ? new Map([...byKey, ...byKey.map(([key, owners]): [string, string[]] => [pubSpelling(key), owners])])
      : new Map(permissions.owners().map((account) => [account, byActor.get(account) ?? []]));
}
