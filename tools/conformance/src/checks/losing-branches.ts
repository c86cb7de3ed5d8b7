import { parsePublicKey, publicKeyToPubString } from '@antelope-history/abi';
import { stringifyJson } from '@antelope-history/json';
import { ROUTES } from '@antelope-history/routes';
import { readAllRows } from '../all-rows';
import { EQUAL, unexplained } from '../comparison';
import { inParallel } from '../in-parallel';
import { LosingBranches, type TransactionOfBlock } from '../losing-branches';
import { groupTraces, isOfAccount, shownTrace, type TraceJson } from '../naive-actions';
import { readRecordedActions } from '../recorded-actions';
import type { RecordedChain } from '../recorded-chain';
import type { HttpResponse, ServedRecording } from '../served-recording';
import { transactionJson } from '../ship-responses';
import { Tally, type Outcome } from '../tally';
import { REQUESTS_AT_A_TIME, type Check } from './check';

/**
 * Data that only an orphaned branch had must not be in any response; data of both branches must be there once, in the
 * surviving block. Each group requests data that the service had indexed before it undid the branch.
 */
export const checkLosingBranches: Check = async (chain, served) => {
  if (chain.orphans.length === 0) return [];
  await expectForksUndone(chain, served);
  const losing = new LosingBranches(chain);
  const groups: [string, RequestCase[]][] = [
    ['transactions lost', lostTransactions(losing)],
    ['transactions on both', losing.sharedTransactions.map((shared) => transactionCase(chain, shared))],
    ['blocks lost', lostBlocks(losing)],
    ['keys and controllers lost', lostAuthorities(chain, losing)],
    ['ABIs lost', losing.misreadTransactions().map((misread) => transactionCase(chain, misread))],
  ];
  const outcomes: Outcome[] = [];
  for (const [group, cases] of groups) {
    if (cases.length > 0) outcomes.push(await checkGroup(group, cases, served));
  }
  return [...outcomes, await checkRows(chain, losing, served)];
};

/** Without this, a service that never received the losing branches would pass all checks that follow. */
async function expectForksUndone({ forks, name }: RecordedChain, { countForks }: ServedRecording): Promise<void> {
  const undone = await countForks();
  if (undone !== forks) throw new Error(`${name} has ${forks} forks, but the service undid ${undone}`);
}

interface RequestCase {
  path: string;
  request: object;
  /** The whole body, or the status and code of the expected error. */
  expected: string | { status: number; code: number };
}

async function checkGroup(group: string, cases: readonly RequestCase[], served: ServedRecording): Promise<Outcome> {
  const tally = new Tally(`losing branches, ${group}`, served.name);
  await inParallel(served.some(cases), REQUESTS_AT_A_TIME, async ({ path, request, expected }) => {
    const response = await served.post(path, request);
    const isRight = typeof expected === 'string' ? response.body === expected : isError(response, expected);
    const shown = `${path} ${JSON.stringify(request)}`;
    tally.add(shown, isRight ? EQUAL : unexplained(`${response.status} ${response.body.slice(0, 200)}`));
  });
  return tally.outcome();
}

function isError({ status, body }: HttpResponse, expected: { status: number; code: number }): boolean {
  const { error } = JSON.parse(body) as { error?: { code: number } };
  return status === expected.status && error?.code === expected.code;
}

const GET_TRANSACTION = ROUTES.getTransaction.path;
const PREFIX_DIGITS = 16;
const TRANSACTION_NOT_FOUND = { status: 404, code: 3040011 };
const UNKNOWN_BLOCK = { status: 400, code: 3100002 };
const BLOCK_TRACE_MISSING = { status: 404, code: 0 };

function lostTransactions({ lostTransactions }: LosingBranches): RequestCase[] {
  return [...lostTransactions]
    .flatMap((id) => [id, id.toUpperCase(), id.slice(0, PREFIX_DIGITS)])
    .map((id) => ({ path: GET_TRANSACTION, request: { id }, expected: TRANSACTION_NOT_FOUND }));
}

function transactionCase(chain: RecordedChain, { block, trace }: TransactionOfBlock): RequestCase {
  const expected = stringifyJson(transactionJson(chain, block, trace));
  return { path: GET_TRANSACTION, request: { id: trace.id }, expected };
}

function lostBlocks({ lostBlocks }: LosingBranches): RequestCase[] {
  return [...lostBlocks].flatMap((id) => [
    { path: ROUTES.getChainBlock.path, request: { block_num_or_id: id }, expected: UNKNOWN_BLOCK },
    { path: ROUTES.getTraceBlock.path, request: { block_id: id }, expected: BLOCK_TRACE_MISSING },
  ]);
}

/** Keys and accounts in permissions of losing branches; the responses must have the surviving permissions only. */
function lostAuthorities({ permissions }: RecordedChain, losing: LosingBranches): RequestCase[] {
  const [keys, actors] = [permissions.ownersByKey(), permissions.ownersByActor()];
  const keyCase = (public_key: string, owners: string[]): RequestCase => ({
    path: ROUTES.getKeyAccounts.path,
    request: { public_key },
    expected: JSON.stringify({ account_names: owners }),
  });
  const actorCase = (controlling_account: string): RequestCase => ({
    path: ROUTES.getControlledAccounts.path,
    request: { controlling_account },
    expected: JSON.stringify({ controlled_accounts: actors.get(controlling_account) ?? [] }),
  });
  const lostKeys = [...losing.permissions.ownersByKey().keys()];
  const lostActors = new Set([...losing.permissions.ownersByActor().keys(), ...losing.permissions.owners()]);
  return [
    ...lostKeys.flatMap((key) =>
      [key, publicKeyToPubString(parsePublicKey(key))].map((text) => keyCase(text, keys.get(key) ?? [])),
    ),
    ...[...lostActors].map(actorCase),
  ];
}

/** Checks that the rows of the chain, and of every account of a losing branch, have each surviving action once. */
async function checkRows(chain: RecordedChain, losing: LosingBranches, served: ServedRecording): Promise<Outcome> {
  const tally = new Tally('losing branches, actions', chain.name);
  const actions = groupTraces([...readRecordedActions(chain).traces.values()]);
  for (const account of [undefined, ...served.some(losing.accounts())]) {
    const surviving = actions.filter((action) => isOfAccount(action, { account_name: account }));
    const rows = await readAllRows(served, account);
    const identities = rows.map(({ action_trace }) => identityOf(action_trace as TraceJson));
    const expected = surviving.map((action) => identityOf(shownTrace(action, account)));
    tally.expectEqual(`rows of ${account}`, expected.join(), identities.join());
  }
  return tally.outcome();
}

function identityOf({ trx_id, producer_block_id, action_ordinal }: TraceJson): string {
  return [trx_id, producer_block_id, action_ordinal].join(' ');
}
