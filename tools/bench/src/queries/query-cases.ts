import { ROUTES } from '@antelope-history/routes';

/** Requests of one kind that are sent in turn. */
export interface QueryCase {
  name: string;
  path: string;
  bodies: Record<string, unknown>[];
}

/** Most ids of transactions that one case asks for. */
const MAX_IDS = 50;

interface FoundActions {
  actions: { block_num: number; action_trace: { trx_id: string; act: { data: unknown } } }[];
}

/**
 * The requests of wallets and explorers, about the busiest contract of the recording `leap-load` and a key of its accounts.
 * The transactions are those of the newest actions, the blocks one in the middle.
 */
export async function findQueryCases(url: string): Promise<QueryCase[]> {
  const actions = ROUTES.getActions.path;
  const account_name = 'eosio.token';
  const newest = (await post(url, actions, { account_name, pos: -1, offset: -300 })) as FoundActions;
  const ids = [...new Set(newest.actions.map(({ action_trace }) => action_trace.trx_id))].slice(0, MAX_IDS);
  const middle = Math.floor((newest.actions[0]?.block_num ?? 2) / 2);
  return [
    { name: 'get_actions, 20 rows', path: actions, bodies: [{ account_name, pos: -1, offset: -20 }] },
    { name: 'get_actions, 100 rows', path: actions, bodies: [{ account_name, pos: -1, offset: -100 }] },
    {
      name: 'get_actions, pos 60,000',
      path: actions,
      bodies: [{ account_name, pos: 60_000, offset: 20, sort: 'desc' }],
    },
    { name: 'get_transaction', path: ROUTES.getTransaction.path, bodies: ids.map((id) => ({ id })) },
    { name: 'get_key_accounts', path: ROUTES.getKeyAccounts.path, bodies: [{ public_key: await findKey(url) }] },
    { name: 'chain get_block', path: ROUTES.getChainBlock.path, bodies: [{ block_num_or_id: middle }] },
    { name: 'trace get_block', path: ROUTES.getTraceBlock.path, bodies: [{ block_num: middle }] },
  ];
}

interface NewAccount {
  owner: { keys: { key: string }[] };
}

/** The owner key of the newest account. */
async function findKey(url: string): Promise<string> {
  const request = { filter: 'eosio:newaccount', pos: -1, offset: -1 };
  const { actions } = (await post(url, ROUTES.getActions.path, request)) as FoundActions;
  const key = (actions[0]?.action_trace.act.data as NewAccount | undefined)?.owner.keys[0]?.key;
  if (key === undefined) throw new Error('the recording creates no account');
  return key;
}

async function post(url: string, path: string, body: Record<string, unknown>): Promise<unknown> {
  return JSON.parse((await postBytes(url, path, body)).toString());
}

/** The bytes of a response. Rejects when its status is not 200. */
export async function postBytes(url: string, path: string, body: Record<string, unknown>): Promise<Buffer> {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`${path} responds ${response.status}: ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}
