import type { ServiceClient } from '@antelope-history/processes';
import { ACTIONS_BY_ROWS_PATH, ROUTES } from '@antelope-history/routes';
import type { Route } from '@antelope-history/schemas';

/** A request whose response shows something. */
export interface Example {
  path: string;
  body: Readonly<Record<string, unknown>>;
}

type ActionRow = Awaited<ReturnType<typeof readActions>>[number];

/** Tried when no permission on the chain names a key: the key of most development chains. */
const DEVELOPMENT_KEY = 'EOS6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';
const PUBLIC_KEY = /^(EOS|PUB_(K1|R1|WA)_)[1-9A-HJ-NP-Za-km-z]{40,}$/;
const MAX_TRIES = 50;

/** Requests whose responses show something, and those to the other endpoints, which have nothing to show or refuse them. */
export interface FoundExamples {
  examples: Example[];
  missing: Example[];
}

/**
 * One request per endpoint. The example of the route definition is used if the service has data for it, as on the sample
 * chain; on other chains its fields get values that are found by asking the service. Rejects with `NoResponseError`.
 */
export async function findExamples(client: ServiceClient): Promise<FoundExamples> {
  const examples: Example[] = [];
  const missing: Example[] = [];
  // Found once: without actions to look at, each attempt would end without values.
  let values: Promise<FieldValues | undefined> | undefined;
  for (const route of Object.values<Route>(ROUTES)) {
    let example = await findExample(client, route, route.example.request);
    if (!example) {
      const found = await (values ??= findFieldValues(client));
      example = found && (await findExample(client, route, pickFields(route, found)));
    }
    if (example) examples.push(example);
    else missing.push({ path: route.path, body: route.example.request });
  }
  return { examples, missing };
}

/** The request to the first path of a route whose response has an item in each of its lists; undefined when there is none. */
async function findExample(client: ServiceClient, route: Route, body: Example['body']): Promise<Example | undefined> {
  // A service with the positions of nodeos has the rows of get_actions at another path.
  const paths = route.path === ROUTES.getActions.path ? [route.path, ACTIONS_BY_ROWS_PATH] : [route.path];
  for (const path of paths) {
    const { data } = route.response.safeParse(await client.post(path, body));
    const isObject = typeof data === 'object' && data !== null;
    if (isObject && Object.values(data).every((value) => !Array.isArray(value) || value.length > 0))
      return { path, body };
  }
  return undefined;
}

/** Values by the name of the request field that takes them. */
type FieldValues = Readonly<Record<string, unknown>>;

/** The fields of a route's example with values of the chain; fields without one are left out. */
function pickFields({ example }: Route, values: FieldValues): Example['body'] {
  const names = Object.keys(example.request).filter((name) => values[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

/** Undefined while the chain has too few actions. */
async function findFieldValues(client: ServiceClient): Promise<FieldValues | undefined> {
  const rows = await firstNotEmpty([
    () => readActions(client, { filter: '*:transfer', offset: 20 }),
    () => readActions(client, { offset: 100 }),
  ]);
  const row = rows.find(({ action_trace }) => action_trace.act.name !== 'onblock') ?? rows[0];
  if (!row) return undefined;
  const { receiver, trx_id, block_num } = row.action_trace;
  return {
    account_name: receiver,
    offset: 5,
    id: trx_id,
    controlling_account: await findControllingAccount(client, rows),
    public_key: await findKey(client),
    block_num_or_id: block_num,
    block_num,
  };
}

async function readActions(client: ServiceClient, body: Record<string, unknown>) {
  const { response } = ROUTES.getActions;
  return response.safeParse(await client.post(ACTIONS_BY_ROWS_PATH, body)).data?.actions ?? [];
}

async function firstNotEmpty<Item>(reads: (() => Promise<Item[]>)[]): Promise<Item[]> {
  for (const read of reads) {
    const items = await read();
    if (items.length > 0) return items;
  }
  return [];
}

/** An account that controls others: a system account on most chains, otherwise one that authorised an action. */
async function findControllingAccount(client: ServiceClient, rows: ActionRow[]): Promise<string | undefined> {
  const { path, response } = ROUTES.getControlledAccounts;
  const actors = rows.flatMap(({ action_trace }) => action_trace.act.authorization.map(({ actor }) => actor));
  for (const account of [...new Set(['eosio', 'eosio.prods', ...actors])].slice(0, MAX_TRIES)) {
    const controlled = response.safeParse(await client.post(path, { controlling_account: account }));
    if (controlled.data && controlled.data.controlled_accounts.length > 0) return account;
  }
  return undefined;
}

async function findKey(client: ServiceClient): Promise<string | undefined> {
  const { path, response } = ROUTES.getKeyAccounts;
  const rows = await readActions(client, { filter: 'eosio:newaccount,eosio:updateauth', offset: 20 });
  const keys = rows.flatMap(({ action_trace }) => publicKeysIn(action_trace.act.data));
  for (const key of [...new Set([...keys, DEVELOPMENT_KEY])].slice(0, MAX_TRIES)) {
    const accounts = response.safeParse(await client.post(path, { public_key: key }));
    if (accounts.data && accounts.data.account_names.length > 0) return key;
  }
  return undefined;
}

/** All strings in a JSON value that look like a public key. */
function publicKeysIn(value: unknown): string[] {
  if (typeof value === 'string') return PUBLIC_KEY.test(value) ? [value] : [];
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(publicKeysIn);
  return [];
}

/** The request as a shell command. */
export function toCurl(gatewayUrl: string, { path, body }: Example): string {
  const address = gatewayUrl + path;
  // zsh takes the brackets of an IPv6 address for a pattern of file names.
  const quoted = address.includes('[') ? `'${address}'` : address;
  return `curl -s ${quoted} -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`;
}
