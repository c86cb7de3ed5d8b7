import { APIClient, type APIError, Checksum256, Name, PublicKey } from '@wharfkit/antelope';
import { JsonRpc, RpcError } from 'eosjs';
import { readHistoryResponses, sampleFolder } from '@antelope-history/test-support/recordings';
import { describeOnSets, type IndexedChain, startIndexedChain } from '@antelope-history/processes';
import { describePluginClients, PLUGIN_PREFIX } from './plugin-client-cases';

const PLUGIN_SAMPLE = 'eosio20-edge';

/** The compared fields of an action in the recorded responses of the original history plugin. */
interface PluginAction {
  global_action_seq: number | string;
  action_trace: PluginTrace;
}
interface PluginTrace {
  action_ordinal: number;
  creator_action_ordinal: number;
  receipt: { global_sequence: number | string };
  receiver: string;
  act: Record<string, unknown>;
  context_free: boolean;
  trx_id: string;
}
interface PluginTransaction {
  id: string;
  block_num: number;
  trx: unknown;
  traces: PluginTrace[];
}

/** The response of each endpoint of the plugin. */
interface PluginResponses {
  get_actions: { actions: PluginAction[] };
  get_transaction: PluginTransaction;
  get_key_accounts: { account_names: string[] };
  get_controlled_accounts: { controlled_accounts: string[] };
}

function pluginResponses<Endpoint extends keyof PluginResponses>(endpoint: Endpoint) {
  return [...readHistoryResponses(sampleFolder(PLUGIN_SAMPLE))]
    .filter(({ path, status }) => path === `/v1/history/${endpoint}` && status === 200)
    .map(({ request, body }) => ({
      request: request as Record<string, unknown>,
      body: JSON.parse(body) as PluginResponses[Endpoint],
    }));
}

/** All rows that the plugin returned for an account. */
function pluginActionsOf(account: string): Map<number, PluginTrace> {
  const rows = pluginResponses('get_actions')
    .filter(({ request }) => request['account_name'] === account)
    .flatMap(({ body }) => body.actions);
  return new Map(rows.map(({ global_action_seq, action_trace }) => [Number(global_action_seq), action_trace]));
}

/** The plugin reads permissions from actions only, so its responses lack the accounts that exist from the start. */
const withoutFirst = (names: string[]) => names.filter((name) => name !== 'eosio' && name !== 'eosio.prods');

const CLIENTS_ACCOUNT = 'alice';
/** Omits fields that SHiP does not carry or that only nodes after EOSIO 2.0 have: see docs/compatibility.md. */
function compared(trace: unknown) {
  const { action_ordinal, creator_action_ordinal, receipt, receiver, act, context_free, trx_id } = trace as PluginTrace;
  const { hex_data: _hexData, ...shared } = act;
  return { action_ordinal, creator_action_ordinal, receipt, receiver, act: shared, context_free, trx_id };
}

describeOnSets('client libraries with a service that indexed eosio20-edge', (set) => {
  let service: IndexedChain;
  // One service for clients of both rules: a start takes as long as hundreds of requests.
  beforeAll(async () => {
    const environment = { HISTORY_API__NODEOS_PATH_PREFIX: PLUGIN_PREFIX };
    service = await startIndexedChain(set, sampleFolder(PLUGIN_SAMPLE), { environment });
  }, 180_000);
  afterAll(() => service.stop());

  const eosjs = () => new JsonRpc(service.url, { fetch });
  const wharfkit = () => new APIClient({ url: service.url }).v1;

  describe('eosjs', () => {
    it('pages through an account with history_get_actions', async () => {
      const rows: Awaited<ReturnType<JsonRpc['history_get_actions']>>['actions'] = [];
      for (let more = true; more;) {
        const { actions } = await eosjs().history_get_actions(CLIENTS_ACCOUNT, rows.length, 10);
        rows.push(...actions);
        more = actions.length === 10;
      }
      const plugin = pluginActionsOf(CLIENTS_ACCOUNT);
      const sequences = rows.map(({ global_action_seq }) => global_action_seq);
      expect(sequences).toEqual([...new Set(sequences)].sort((left, right) => right - left));
      expect(sequences.length).toBeGreaterThan(30);
      for (const { global_action_seq, action_trace } of rows) {
        const recorded = plugin.get(global_action_seq);
        expect(compared(action_trace)).toEqual(recorded && compared(recorded));
      }
      const received = [...plugin].filter(([, { receiver }]) => receiver === CLIENTS_ACCOUNT);
      expect(received.length).toBeGreaterThan(10);
      expect(sequences).toEqual(expect.arrayContaining(received.map(([sequence]) => sequence)));
    });

    it('reads the last actions with pos -1 and a negative offset, as older programs do', async () => {
      const { actions } = await eosjs().history_get_actions(CLIENTS_ACCOUNT, -1, -5);
      const defaults = await eosjs().history_get_actions(CLIENTS_ACCOUNT);
      expect(actions).toHaveLength(5);
      expect(defaults.actions).toHaveLength(20);
      expect(defaults.actions.slice(0, 5)).toEqual(actions);
    });

    it('reads the transactions that the plugin returned with history_get_transaction', async () => {
      const responses = pluginResponses('get_transaction');
      expect(responses.length).toBeGreaterThan(1000);
      for (const { request, body } of responses.filter((_, index) => index % 10 === 0)) {
        const hint = request['block_num_hint'] as number | undefined;
        const found = await eosjs().history_get_transaction(String(request['id']), hint);
        expect([found.id, found.block_num]).toEqual([body.id, body.block_num]);
        const sequencesOf = ({ traces }: Pick<PluginTransaction, 'traces'>) =>
          traces.map(({ receipt }) => receipt.global_sequence);
        expect(sequencesOf(found as unknown as PluginTransaction)).toEqual(sequencesOf(body));
      }
    });

    it('reads keys with history_get_key_accounts', async () => {
      const responses = pluginResponses('get_key_accounts');
      expect(responses.length).toBeGreaterThan(50);
      for (const { request, body } of responses) {
        const { account_names } = await eosjs().history_get_key_accounts(String(request['public_key']));
        expect(withoutFirst(account_names)).toEqual(withoutFirst(body.account_names));
      }
    });

    it('reads controlled accounts with history_get_controlled_accounts', async () => {
      for (const { request, body } of pluginResponses('get_controlled_accounts')) {
        const response = await eosjs().history_get_controlled_accounts(String(request['controlling_account']));
        expect(withoutFirst(response.controlled_accounts)).toEqual(withoutFirst(body.controlled_accounts));
      }
    });

    it('throws an RpcError with the error code of the node', async () => {
      const error: unknown = await eosjs()
        .history_get_transaction('f'.repeat(64))
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RpcError);
      expect((error as RpcError).json).toMatchObject({ code: 404, error: { code: 3040011, name: 'tx_not_found' } });
    });
  });

  describe('wharfkit', () => {
    it('reads actions with history.get_actions', async () => {
      const { actions, head_block_num, last_irreversible_block } = await wharfkit().history.get_actions(
        CLIENTS_ACCOUNT,
        0,
        30,
      );
      const plugin = pluginActionsOf(CLIENTS_ACCOUNT);
      expect(actions).toHaveLength(30);
      expect(Number(head_block_num)).toBeGreaterThan(Number(last_irreversible_block));
      for (const { global_action_seq, account_action_seq, action_trace } of actions) {
        const recorded = plugin.get(global_action_seq.toNumber());
        expect(compared(action_trace)).toEqual(recorded && compared(recorded));
        expect(account_action_seq.toNumber()).toBe(action_trace.receipt.recv_sequence);
      }
    });

    it('reads transactions with history.get_transaction, also with a block number hint and with excludeTraces', async () => {
      const responses = pluginResponses('get_transaction').slice(0, 50);
      for (const { body } of responses) {
        for (const options of [{}, { blockNumHint: body.block_num }, { excludeTraces: true }]) {
          const found = await wharfkit().history.get_transaction(body.id, options);
          expect([String(found.id), found.block_num.toNumber()]).toEqual([body.id, body.block_num]);
          expect(found.id.equals(Checksum256.from(body.id))).toBe(true);
          expect(found.traces?.length).toBe(body.traces.length);
        }
      }
    });

    it('reads keys with history.get_key_accounts', async () => {
      for (const { request, body } of pluginResponses('get_key_accounts')) {
        const key = PublicKey.from(String(request['public_key']));
        const { account_names } = await wharfkit().history.get_key_accounts(key);
        expect(withoutFirst(account_names.map(String))).toEqual(withoutFirst(body.account_names));
      }
    });

    it('reads controlled accounts with history.get_controlled_accounts', async () => {
      const responses = pluginResponses('get_controlled_accounts');
      for (const { request, body } of responses) {
        const controlling = Name.from(String(request['controlling_account']));
        const { controlled_accounts } = await wharfkit().history.get_controlled_accounts(controlling);
        expect(withoutFirst(controlled_accounts.map(String))).toEqual(withoutFirst(body.controlled_accounts));
      }
    });

    it('throws an APIError with the error name of the node', async () => {
      const error: unknown = await wharfkit()
        .history.get_transaction('f'.repeat(64))
        .catch((reason: unknown) => reason);
      expect((error as APIError).name).toBe('tx_not_found');
      expect((error as APIError).message).toBe('The transaction can not be found at /v1/history/get_transaction');
    });
  });

  describe('with the prefix of the history plugin', () => describePluginClients(() => service.url));
});
