import type { ServiceClient } from '@antelope-history/processes';
import { ROUTES } from '@antelope-history/schemas';

/** A request to which the running service sends a non-empty response. */
export interface Example {
  path: string;
  body: Record<string, unknown>;
}

type ActionRow = Awaited<ReturnType<typeof readActions>>[number];

/** The initial key of development chains; tried when no action on the chain names a key. */
const DEVELOPMENT_KEY = 'EOS6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';
const PUBLIC_KEY = /^(EOS|PUB_(K1|R1|WA)_)[1-9A-HJ-NP-Za-km-z]{40,}$/;
const MAX_TRIES = 50;

/**
 * One request per endpoint, found with requests to the service itself, so that they suit any chain. Undefined while an
 * endpoint has no data yet.
 */
export async function findExamples(client: ServiceClient): Promise<Example[] | undefined> {
  const rows = await firstNotEmpty([
    () => readActions(client, { filter: '*:transfer', offset: 20 }),
    () => readActions(client, { offset: 100 }),
  ]);
  const row = rows.find(({ action_trace }) => action_trace.act.name !== 'onblock') ?? rows[0];
  if (!row) return undefined;
  const controlling = await findControllingAccount(client, rows);
  const key = await findKey(client);
  const { trx_id: id, block_num: blockNum } = row.action_trace;
  if (controlling === undefined || key === undefined) return undefined;
  return [
    { path: ROUTES.getActions.path, body: { account_name: row.action_trace.receiver, offset: 5 } },
    { path: ROUTES.getTransaction.path, body: { id } },
    { path: ROUTES.getControlledAccounts.path, body: { controlling_account: controlling } },
    { path: ROUTES.getKeyAccounts.path, body: { public_key: key } },
    { path: ROUTES.getChainBlock.path, body: { block_num_or_id: blockNum } },
    { path: ROUTES.getTraceBlock.path, body: { block_num: blockNum } },
  ];
}

async function readActions(client: ServiceClient, body: Record<string, unknown>) {
  const response = ROUTES.getActions.answer.safeParse(await client.post(ROUTES.getActions.path, body));
  return response.success ? response.data.actions : [];
}

async function firstNotEmpty<Item>(reads: (() => Promise<Item[]>)[]): Promise<Item[]> {
  for (const read of reads) {
    const items = await read();
    if (items.length > 0) return items;
  }
  return [];
}

/** The system account controls others on most chains; otherwise an account that authorized an action. */
async function findControllingAccount(client: ServiceClient, rows: ActionRow[]): Promise<string | undefined> {
  const { path, answer } = ROUTES.getControlledAccounts;
  const actors = rows.flatMap(({ action_trace }) => action_trace.act.authorization.map(({ actor }) => actor));
  for (const account of [...new Set(['eosio', 'eosio.prods', ...actors])].slice(0, MAX_TRIES)) {
    const controlled = answer.safeParse(await client.post(path, { controlling_account: account }));
    if (controlled.data && controlled.data.controlled_accounts.length > 0) return account;
  }
  return undefined;
}

async function findKey(client: ServiceClient): Promise<string | undefined> {
  const { path, answer } = ROUTES.getKeyAccounts;
  const rows = await readActions(client, { filter: 'eosio:newaccount,eosio:updateauth', offset: 20 });
  const keys = rows.flatMap(({ action_trace }) => publicKeysIn(action_trace.act.data));
  for (const key of [...new Set([...keys, DEVELOPMENT_KEY])].slice(0, MAX_TRIES)) {
    const accounts = answer.safeParse(await client.post(path, { public_key: key }));
    if (accounts.data && accounts.data.account_names.length > 0) return key;
  }
  return undefined;
}

/** Every string in a JSON value that has the form of a public key. */
export function publicKeysIn(value: unknown): string[] {
  if (typeof value === 'string') return PUBLIC_KEY.test(value) ? [value] : [];
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(publicKeysIn);
  return [];
}

/** The command for a shell; no value of an example contains a quote. */
export function toCurl(gatewayUrl: string, { path, body }: Example): string {
  return `curl -s ${gatewayUrl}${path} -d '${JSON.stringify(body)}'`;
}
