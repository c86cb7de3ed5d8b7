import { parsePublicKey, publicKeyToPubString } from '@antelope-history/abi';
import { stringifyJson } from '@antelope-history/json';
import { ROUTES } from '@antelope-history/routes';
import { readAllRows } from '../all-rows';
import { EQUAL, unexplained } from '../comparison';
import { inParallel } from '../in-parallel';
import { LosingBranches, type PlacedTransaction } from '../losing-branches';
import { groupTraces, isOfAccount, shownTrace, type TraceJson } from '../naive-actions';
import { readRecordedActions } from '../recorded-actions';
import type { RecordedChain } from '../recorded-chain';
import type { HttpAnswer, ServedRecording } from '../served-recording';
import { transactionJson } from '../ship-answers';
import { Tally, type Outcome } from '../tally';
import { REQUESTS_AT_A_TIME, type Check } from './check';

/**
 * What lived on an orphaned branch only must be nowhere in the answers, and what lived on both once, in the surviving
 * block. Each part asks for the very things that the service had indexed before it undid them.
 */
export const checkLosingBranches: Check = async (chain, served) => {
  if (chain.orphans.length === 0) return [];
  await expectForksUndone(chain, served);
  const losing = new LosingBranches(chain);
  const parts: [string, Question[]][] = [
    ['transactions lost', lostTransactions(losing)],
    ['transactions on both', losing.sharedTransactions.map((shared) => transactionQuestion(chain, shared))],
    ['blocks lost', lostBlocks(losing)],
    ['keys and controllers lost', lostAuthorities(chain, losing)],
    ['ABIs lost', losing.misreadTransactions().map((misread) => transactionQuestion(chain, misread))],
  ];
  const outcomes: Outcome[] = [];
  for (const [part, questions] of parts) {
    if (questions.length > 0) outcomes.push(await askAll(part, questions, served));
  }
  return [...outcomes, await checkRows(chain, losing, served)];
};

/** A service that never saw the losing branches would pass all that follows. */
async function expectForksUndone({ forks, name }: RecordedChain, { countForks }: ServedRecording): Promise<void> {
  const undone = await countForks();
  if (undone !== forks) throw new Error(`${name} has ${forks} forks, the service undid ${undone}`);
}

interface Question {
  path: string;
  request: object;
  /** The whole body, or how it must fail. */
  expected: string | { status: number; code: number };
}

async function askAll(part: string, questions: readonly Question[], served: ServedRecording): Promise<Outcome> {
  const tally = new Tally(`losing branches, ${part}`, served.name);
  await inParallel(questions, REQUESTS_AT_A_TIME, async ({ path, request, expected }) => {
    const answer = await served.post(path, request);
    const isRight = typeof expected === 'string' ? answer.body === expected : isError(answer, expected);
    const shown = `${path} ${JSON.stringify(request)}`;
    tally.add(shown, isRight ? EQUAL : unexplained(`${answer.status} ${answer.body.slice(0, 200)}`));
  });
  return tally.outcome();
}

function isError({ status, body }: HttpAnswer, expected: { status: number; code: number }): boolean {
  const { error } = JSON.parse(body) as { error?: { code: number } };
  return status === expected.status && error?.code === expected.code;
}

const GET_TRANSACTION = ROUTES.getTransaction.path;
const PREFIX_DIGITS = 16;
const TRANSACTION_NOT_FOUND = { status: 404, code: 3040011 };
const UNKNOWN_BLOCK = { status: 400, code: 3100002 };
const BLOCK_TRACE_MISSING = { status: 404, code: 0 };

function lostTransactions({ lostTransactions }: LosingBranches): Question[] {
  return [...lostTransactions]
    .flatMap((id) => [id, id.toUpperCase(), id.slice(0, PREFIX_DIGITS)])
    .map((id) => ({ path: GET_TRANSACTION, request: { id }, expected: TRANSACTION_NOT_FOUND }));
}

function transactionQuestion(chain: RecordedChain, { block, trace }: PlacedTransaction): Question {
  const expected = stringifyJson(transactionJson(chain, block, trace));
  return { path: GET_TRANSACTION, request: { id: trace.id }, expected };
}

function lostBlocks({ lostBlocks }: LosingBranches): Question[] {
  return [...lostBlocks].flatMap((id) => [
    { path: ROUTES.getChainBlock.path, request: { block_num_or_id: id }, expected: UNKNOWN_BLOCK },
    { path: ROUTES.getTraceBlock.path, request: { block_id: id }, expected: BLOCK_TRACE_MISSING },
  ]);
}

/** Every key and account that a permission of a losing branch named: now only what the surviving one says. */
function lostAuthorities({ permissions }: RecordedChain, losing: LosingBranches): Question[] {
  const [keys, actors] = [permissions.ownersByKey(), permissions.ownersByActor()];
  const keyQuestion = (public_key: string, owners: string[]): Question => ({
    path: ROUTES.getKeyAccounts.path,
    request: { public_key },
    expected: JSON.stringify({ account_names: owners }),
  });
  const actorQuestion = (controlling_account: string): Question => ({
    path: ROUTES.getControlledAccounts.path,
    request: { controlling_account },
    expected: JSON.stringify({ controlled_accounts: actors.get(controlling_account) ?? [] }),
  });
  const lostKeys = [...losing.permissions.ownersByKey().keys()];
  const lostActors = new Set([...losing.permissions.ownersByActor().keys(), ...losing.permissions.owners()]);
  return [
    ...lostKeys.flatMap((key) =>
      [key, publicKeyToPubString(parsePublicKey(key))].map((asked) => keyQuestion(asked, keys.get(key) ?? [])),
    ),
    ...[...lostActors].map(actorQuestion),
  ];
}

/** The rows of the whole chain and of every account on a losing branch: the surviving actions, each once. */
async function checkRows(chain: RecordedChain, losing: LosingBranches, served: ServedRecording): Promise<Outcome> {
  const tally = new Tally('losing branches, actions', chain.name);
  const actions = groupTraces([...readRecordedActions(chain).traces.values()]);
  for (const account of [undefined, ...losing.accounts()]) {
    const surviving = actions.filter((action) => isOfAccount(action, { account_name: account }));
    const rows = await readAllRows(served, account);
    const places = rows.map(({ action_trace }) => placeOf(action_trace as TraceJson));
    const expected = surviving.map((action) => placeOf(shownTrace(action, account)));
    tally.expectEqual(`rows of ${account}`, expected.join(), places.join());
  }
  return tally.outcome();
}

function placeOf({ trx_id, producer_block_id, action_ordinal }: TraceJson): string {
  return [trx_id, producer_block_id, action_ordinal].join(' ');
}
