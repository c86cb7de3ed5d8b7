import { once } from 'node:events';
import { connect } from 'node:net';
import { APIClient } from '@wharfkit/antelope';
import { JsonRpc } from 'eosjs';
import { readHistoryResponses, sampleFolder } from '@antelope-history/test-support/recordings';

const SAMPLE = 'eosio20-edge';
/** The gateway serves the rules of the plugin behind this path and its own rules elsewhere. */
export const PLUGIN_PREFIX = '/plugin';
const ACCOUNT = 'alice';

interface Row {
  account_action_seq: number | string;
  global_action_seq: number | string;
  action_trace: { receiver: string; trx_id: string; act: { account: string; name: string } };
}

interface Recorded {
  request: Record<string, unknown>;
  body: { actions: Row[] };
}

/** What is the same in a node's row and ours for every client; conformance compares all values. */
const identityOf = ({ account_action_seq, global_action_seq, action_trace }: Row) => ({
  position: Number(account_action_seq),
  sequence: Number(global_action_seq),
  receiver: action_trace.receiver,
  transaction: action_trace.trx_id,
  act: [action_trace.act.account, action_trace.act.name],
});

const recorded = [...readHistoryResponses(sampleFolder(SAMPLE))]
  .filter(({ path, status }) => path === '/v1/history/get_actions' && status === 200)
  .map(({ request, body }): Recorded => ({
    request: request as Record<string, unknown>,
    body: JSON.parse(body) as Recorded['body'],
  }));

const requestsOf = (call: string): Record<string, unknown>[] =>
  [...readHistoryResponses(sampleFolder(SAMPLE))]
    .filter(({ path, status }) => path === `/v1/history/${call}` && status === 200)
    .map(({ request }) => request as Record<string, unknown>);

/** The rows of an account that the plugin returned, by position; the recording went on after the first of them. */
function pluginRowsOf(account: string): Map<number, Row> {
  const rows = recorded
    .filter(({ request }) => request['account_name'] === account)
    .flatMap(({ body }) => body.actions);
  return new Map(rows.map((row) => [Number(row.account_action_seq), row]));
}

/** Sends a request as cleos of EOSIO 2.0 does: HTTP/1.0, no content type, the connection is closed after the response. */
async function cleos(url: string, path: string, body: object): Promise<{ status: number; body: unknown }> {
  const { hostname, port, pathname } = new URL(url + path);
  const text = JSON.stringify(body);
  const socket = connect(Number(port), hostname);
  const lines = [
    `POST ${pathname} HTTP/1.0`,
    `Host: ${hostname}`,
    `content-length: ${text.length}`,
    'Accept: */*',
    'Connection: close',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'end');
  const [head = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(rest.join('\r\n\r\n')) };
}

/**
 * Declares the tests of clients whose URL has the prefix of the plugin's rules. `gateway` returns the URL of a gateway that serves
 * eosio20-edge with `PLUGIN_PREFIX`.
 */
export function describePluginClients(gateway: () => string): void {
  const expected = pluginRowsOf(ACCOUNT);
  const url = (): string => gateway() + PLUGIN_PREFIX;

  /** Compares all rows of an account, oldest first, with those that the plugin returned. */
  function expectPluginRows(rows: readonly Row[]): void {
    const identities = rows.map(identityOf);
    expect(identities.map(({ position }) => position)).toEqual(rows.map((_, index) => index));
    const compared = identities.filter(({ position }) => expected.has(position));
    expect(compared.length).toBe(expected.size);
    expect(compared.length).toBeGreaterThan(20);
    for (const row of compared) expect(row).toEqual(identityOf(expected.get(row.position) as Row));
  }

  it('eosjs pages from position 0 until a page is not full, and reads the last ones', async () => {
    const rpc = new JsonRpc(url(), { fetch });
    const rows: Row[] = [];
    for (let page: Row[] = []; rows.length === 0 || page.length === 10;) {
      // Both ends of a window are included.
      const { actions } = await rpc.history_get_actions(ACCOUNT, rows.length, 9);
      page = actions;
      rows.push(...page);
    }
    expectPluginRows(rows);
    const { actions } = await rpc.history_get_actions(ACCOUNT, -1, -5);
    expect((actions as unknown as Row[]).map(identityOf)).toEqual(rows.slice(-5).map(identityOf));
  });

  it('wharfkit pages by position', async () => {
    const { history } = new APIClient({ url: url() }).v1;
    const rows: Row[] = [];
    for (let size = 20; size === 20;) {
      const { actions } = await history.get_actions(ACCOUNT, rows.length, 19);
      rows.push(...(JSON.parse(JSON.stringify(actions)) as Row[]));
      size = actions.length;
    }
    expectPluginRows(rows);
  });

  it('cleos get actions, get transaction, get accounts, get servants', async () => {
    const ask = (call: string, body: object) => cleos(url(), `/v1/history/${call}`, body);
    const last = (await ask('get_actions', { account_name: ACCOUNT, pos: -1, offset: -20 })).body as Recorded['body'];
    expect(last.actions).toHaveLength(20);
    const first = (await ask('get_actions', { account_name: ACCOUNT, pos: 0, offset: 3 })).body as Recorded['body'];
    expect(first.actions.map(({ account_action_seq }) => account_action_seq)).toEqual([0, 1, 2, 3]);
    const { trx_id: id } = (last.actions[0] as Row).action_trace;
    const transaction = await ask('get_transaction', { id, block_num_hint: 1 });
    expect(transaction).toMatchObject({ status: 200, body: { id } });
    const unknown = await ask('get_transaction', { id: 'f'.repeat(64) });
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 3040011 } } });
    const servants = await ask('get_controlled_accounts', { controlling_account: 'eosio' });
    expect(servants).toMatchObject({ status: 200, body: { controlled_accounts: expect.any(Array) as unknown } });
    const chain = await cleos(url(), '/v1/chain/get_info', {});
    expect(chain).toMatchObject({ status: 200, body: { head_block_num: expect.any(Number) as unknown } });
  });

  it('eosjs and wharfkit read transactions, keys and controlled accounts', async () => {
    const rpc = new JsonRpc(url(), { fetch });
    const { history } = new APIClient({ url: url() }).v1;
    const id = [...expected.values()].at(-1)?.action_trace.trx_id ?? '';
    expect((await rpc.history_get_transaction(id)).id).toBe(id);
    expect(String((await history.get_transaction(id)).id)).toBe(id);
    const [keyed] = requestsOf('get_key_accounts');
    const key = String(keyed?.['public_key']);
    const { account_names: names } = await rpc.history_get_key_accounts(key);
    expect(names.length).toBeGreaterThan(0);
    expect((await history.get_key_accounts(key)).account_names.map(String)).toEqual(names);
    const [controlling] = requestsOf('get_controlled_accounts');
    const account = String(controlling?.['controlling_account']);
    const { controlled_accounts: controlled } = await rpc.history_get_controlled_accounts(account);
    expect((await history.get_controlled_accounts(account)).controlled_accounts.map(String)).toEqual(controlled);
  });

  it('serves its own rules to clients without the prefix', async () => {
    const { actions } = await new JsonRpc(gateway(), { fetch }).history_get_actions(ACCOUNT, 0, 20);
    const sequences = actions.map(({ global_action_seq }) => global_action_seq);
    expect(sequences).toEqual([...sequences].sort((one, other) => other - one));
    const body = { account_name: ACCOUNT, pos: -1, offset: -20 };
    const newest = (await cleos(gateway(), '/v1/history/get_actions', body)).body as Recorded['body'];
    expect(newest.actions.map(({ global_action_seq }) => global_action_seq)).toEqual(sequences);
    const { trx_id: id } = (newest.actions[0] as Row).action_trace;
    const transaction = await cleos(gateway(), '/v1/history/get_transaction', { id, block_num_hint: 1 });
    expect(transaction).toMatchObject({ status: 200, body: { id } });
  });
}
