import { type JsonObject, stringifyJson } from '@antelope-history/json';
import { ROUTES } from '@antelope-history/routes';
import { createRandom } from '@antelope-history/test-support/random';
import { queriesOf } from '../action-queries';
import { readAllRows } from '../all-rows';
import { compareResponses } from '../comparison';
import { inParallel } from '../in-parallel';
import { type ActionsRequest, groupTraces, type NaiveAction, queryNaively, sequence } from '../naive-actions';
import { ACTION_ROW_REASONS } from '../reasons/history';
import { readRecordedActions, type RecordedActions } from '../recorded-actions';
import type { RecordedChain } from '../recorded-chain';
import type { ServedRecording } from '../served-recording';
import { type Outcome, Tally } from '../tally';
import { type Check, REQUESTS_AT_A_TIME } from './check';

const PATH = ROUTES.getActions.path;

/** A fixed seed, so that every run sends the same queries. */
const SEED = 20_260_101;

/**
 * First compares the rows of every account with the recorded rows, field by field. Then compares the pages of thousands
 * of queries with pages that a naive implementation builds from the verified rows.
 */
export const checkActions: Check = async (chain, served) => {
  const recorded = readRecordedActions(chain);
  const actions = groupTraces([...recorded.traces.values()]);
  const accounts = [undefined, NOBODY, ...served.some(accountsOf(actions))];
  const rows = new Tally('history/get_actions, rows', chain.name);
  const known = new Map<number, string>();
  for (const account of accounts) {
    for (const row of await readAllRows(served, account)) {
      const text = stringifyJson(row);
      const block = chain.block(Number(row['block_num']));
      const expected = stringifyJson(expectedRow(recorded, account, Number(row['global_action_seq'])));
      rows.add(`row of ${account}`, compareResponses(expected, text, ACTION_ROW_REASONS, { chain, block }));
      known.set(Number(row['global_action_seq']), text);
    }
  }
  return [rows.outcome(), await checkQueries(chain, served, actions, accounts, known)];
};

/** A name that no recorded account has. */
const NOBODY = 'nobody.here';

function accountsOf(actions: readonly NaiveAction[]): string[] {
  const names = actions.flatMap(({ own, traces }) => [
    ...traces.map(({ receiver }) => receiver),
    ...own.act.authorization.map(({ actor }) => actor),
  ]);
  return [...new Set(names)].sort();
}

/** The row that the plugin returned for the account; a row made from the recorded trace when there is none. */
function expectedRow({ traces, pluginRows }: RecordedActions, account: string | undefined, shown: number): JsonObject {
  const row = pluginRows.get(`${account}/${shown}`);
  if (row) return row;
  const trace = traces.get(shown);
  if (!trace) throw new Error(`no trace with the global sequence ${shown} was recorded`);
  const { receipt, block_num, block_time } = trace;
  return {
    global_action_seq: receipt.global_sequence,
    account_action_seq: receipt['recv_sequence'] ?? null,
    block_num,
    block_time,
    action_trace: trace,
  };
}

/** Sends the queries of every account. A response is correct when its text consists of exactly the expected known rows. */
async function checkQueries(
  chain: RecordedChain,
  served: ServedRecording,
  actions: readonly NaiveAction[],
  accounts: readonly (string | undefined)[],
  known: ReadonlyMap<number, string>,
): Promise<Outcome> {
  const queries = new Tally('history/get_actions, queries', chain.name);
  const random = createRandom(SEED);
  const requests = served.someQueries(accounts.flatMap((account) => queriesOf(actions, account, random)));
  await inParallel(requests, REQUESTS_AT_A_TIME, async (request) => {
    const ours = await served.post(PATH, request);
    queries.expectEqual(stringifyJson(request), expectedResponse(chain, actions, known, request), ours.body);
  });
  return queries.outcome();
}

function expectedResponse(
  { lastIrreversible, head }: RecordedChain,
  actions: readonly NaiveAction[],
  known: ReadonlyMap<number, string>,
  request: ActionsRequest,
): string {
  const { rows, more } = queryNaively(actions, request);
  const texts = rows.map((trace) => known.get(sequence(trace)) ?? 'a row that no account has');
  return (
    `{"actions":[${texts.join(',')}],"last_irreversible_block":${lastIrreversible.block_num},` +
    `"head_block_num":${head.block_num},"more":${more}}`
  );
}
