import { type JsonObject, stringifyJson } from '@antelope-history/json';
import { ROUTES } from '@antelope-history/routes';
import { createRandom } from '@antelope-history/test-support/random';
import { queriesOf } from '../action-queries';
import { readAllRows } from '../all-rows';
import { compareAnswers } from '../comparison';
import { inParallel } from '../in-parallel';
import { type ActionsRequest, groupTraces, type NaiveAction, queryNaively, sequence } from '../naive-actions';
import { ACTION_ROW_REASONS } from '../reasons/history';
import { readRecordedActions, type RecordedActions } from '../recorded-actions';
import type { RecordedChain } from '../recorded-chain';
import type { ServedRecording } from '../served-recording';
import { type Outcome, Tally } from '../tally';
import { type Check, REQUESTS_AT_A_TIME } from './check';

const PATH = ROUTES.getActions.path;

/** The same queries in every run. */
const SEED = 20_260_101;

/**
 * The rows of every account, field by field against the recorded ones; then, of rows that are thereby known, the pages
 * of thousands of queries against a naive reading of the contract.
 */
export const checkActions: Check = async (chain, served) => {
  const recorded = readRecordedActions(chain);
  const actions = groupTraces([...recorded.traces.values()]);
  const accounts = [undefined, NOBODY, ...accountsOf(actions)];
  const rows = new Tally('history/get_actions, rows', chain.name);
  const known = new Map<number, string>();
  for (const account of accounts) {
    for (const row of await readAllRows(served, account)) {
      const text = stringifyJson(row);
      const block = chain.block(Number(row['block_num']));
      const expected = stringifyJson(expectedRow(recorded, account, Number(row['global_action_seq'])));
      rows.add(`row of ${account}`, compareAnswers(expected, text, ACTION_ROW_REASONS, { chain, block }));
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

/** The plugin's own row where it has one of the account, else made of the recorded trace. */
function expectedRow({ traces, pluginRows }: RecordedActions, account: string | undefined, shown: number): JsonObject {
  const row = pluginRows.get(`${account}/${shown}`);
  if (row) return row;
  const trace = traces.get(shown);
  if (!trace) throw new Error(`no trace was recorded with the global sequence ${shown}`);
  const { receipt, block_num, block_time } = trace;
  return {
    global_action_seq: receipt.global_sequence,
    account_action_seq: receipt['recv_sequence'] ?? null,
    block_num,
    block_time,
    action_trace: trace,
  };
}

/** The queries of every account; an answer is right when it is the known rows, to the last character. */
async function checkQueries(
  chain: RecordedChain,
  served: ServedRecording,
  actions: readonly NaiveAction[],
  accounts: readonly (string | undefined)[],
  known: ReadonlyMap<number, string>,
): Promise<Outcome> {
  const queries = new Tally('history/get_actions, queries', chain.name);
  const random = createRandom(SEED);
  const requests = accounts.flatMap((account) => queriesOf(actions, account, random));
  await inParallel(requests, REQUESTS_AT_A_TIME, async (request) => {
    const ours = await served.post(PATH, request);
    queries.expectEqual(stringifyJson(request), expectedAnswer(chain, actions, known, request), ours.body);
  });
  return queries.outcome();
}

function expectedAnswer(
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
