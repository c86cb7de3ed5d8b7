import { APIClient, type APIError, Checksum256, Name, PublicKey } from '@wharfkit/antelope';
import { JsonRpc, RpcError } from 'eosjs';
import {
  readAuthorizers,
  readChainBlocks,
  readHistoryResponses,
  readTraceBlocks,
  sampleFolder,
} from '@antelope-history/test-support/recordings';
import { describeOnSets, type IndexedChain, startIndexedChain } from '@antelope-history/processes';

const PLUGIN_SAMPLE = 'eosio20-edge';

/** What the original history plugin answered of the sample, as far as it is compared here. */
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

/** What each endpoint of the plugin answers. */
interface PluginAnswers {
  get_actions: { actions: PluginAction[] };
  get_transaction: PluginTransaction;
  get_key_accounts: { account_names: string[] };
  get_controlled_accounts: { controlled_accounts: string[] };
}

function pluginAnswers<Endpoint extends keyof PluginAnswers>(endpoint: Endpoint) {
  return [...readHistoryResponses(sampleFolder(PLUGIN_SAMPLE))]
    .filter(({ path, status }) => path === `/v1/history/${endpoint}` && status === 200)
    .map(({ request, body }) => ({
      request: request as Record<string, unknown>,
      body: JSON.parse(body) as PluginAnswers[Endpoint],
    }));
}

/** Every row that the plugin gave of an account. */
function pluginActionsOf(account: string): Map<number, PluginTrace> {
  const rows = pluginAnswers('get_actions')
    .filter(({ request }) => request['account_name'] === account)
    .flatMap(({ body }) => body.actions);
  return new Map(rows.map(({ global_action_seq, action_trace }) => [Number(global_action_seq), action_trace]));
}

/** The plugin learns of permissions from actions alone, so it never saw those of the first accounts. */
const withoutFirst = (names: string[]) => names.filter((name) => name !== 'eosio' && name !== 'eosio.prods');

const CLIENTS_ACCOUNT = 'alice';
/** Without what SHiP does not carry, and what nodes after EOSIO 2.0 added: see docs/compatibility.md. */
function compared(trace: unknown) {
  const { action_ordinal, creator_action_ordinal, receipt, receiver, act, context_free, trx_id } = trace as PluginTrace;
  const { hex_data: _hexData, ...shared } = act;
  return { action_ordinal, creator_action_ordinal, receipt, receiver, act: shared, context_free, trx_id };
}

describeOnSets('clients of a history of eosio20-edge', (set) => {
  let service: IndexedChain;
  beforeAll(async () => (service = await startIndexedChain(set, sampleFolder(PLUGIN_SAMPLE))), 180_000);
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

    it('gets what old programs ask for: the last actions, with -1 and a negative offset', async () => {
      const { actions } = await eosjs().history_get_actions(CLIENTS_ACCOUNT, -1, -5);
      const defaults = await eosjs().history_get_actions(CLIENTS_ACCOUNT);
      expect(actions).toHaveLength(5);
      expect(defaults.actions).toHaveLength(20);
      expect(defaults.actions.slice(0, 5)).toEqual(actions);
    });

    it('reads every transaction that the plugin had with history_get_transaction', async () => {
      const answers = pluginAnswers('get_transaction');
      expect(answers.length).toBeGreaterThan(1000);
      for (const { request, body } of answers.filter((_, index) => index % 10 === 0)) {
        const hint = request['block_num_hint'] as number | undefined;
        const found = await eosjs().history_get_transaction(String(request['id']), hint);
        expect([found.id, found.block_num]).toEqual([body.id, body.block_num]);
        const sequencesOf = ({ traces }: Pick<PluginTransaction, 'traces'>) =>
          traces.map(({ receipt }) => receipt.global_sequence);
        expect(sequencesOf(found as unknown as PluginTransaction)).toEqual(sequencesOf(body));
      }
    });

    it('reads keys with history_get_key_accounts', async () => {
      const answers = pluginAnswers('get_key_accounts');
      expect(answers.length).toBeGreaterThan(50);
      for (const { request, body } of answers) {
        const { account_names } = await eosjs().history_get_key_accounts(String(request['public_key']));
        expect(withoutFirst(account_names)).toEqual(withoutFirst(body.account_names));
      }
    });

    it('reads controllers with history_get_controlled_accounts', async () => {
      for (const { request, body } of pluginAnswers('get_controlled_accounts')) {
        const answer = await eosjs().history_get_controlled_accounts(String(request['controlling_account']));
        expect(withoutFirst(answer.controlled_accounts)).toEqual(withoutFirst(body.controlled_accounts));
      }
    });

    it('throws its own error with the code of the node', async () => {
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

    it('reads transactions with history.get_transaction, with a hint, without traces', async () => {
      const answers = pluginAnswers('get_transaction').slice(0, 50);
      for (const { body } of answers) {
        for (const options of [{}, { blockNumHint: body.block_num }, { excludeTraces: true }]) {
          const found = await wharfkit().history.get_transaction(body.id, options);
          expect([String(found.id), found.block_num.toNumber()]).toEqual([body.id, body.block_num]);
          expect(found.id.equals(Checksum256.from(body.id))).toBe(true);
          expect(found.traces?.length).toBe(body.traces.length);
        }
      }
    });

    it('reads keys with history.get_key_accounts', async () => {
      for (const { request, body } of pluginAnswers('get_key_accounts')) {
        const key = PublicKey.from(String(request['public_key']));
        const { account_names } = await wharfkit().history.get_key_accounts(key);
        expect(withoutFirst(account_names.map(String))).toEqual(withoutFirst(body.account_names));
      }
    });

    it('reads controllers with history.get_controlled_accounts', async () => {
      const answers = pluginAnswers('get_controlled_accounts');
      for (const { request, body } of answers) {
        const controlling = Name.from(String(request['controlling_account']));
        const { controlled_accounts } = await wharfkit().history.get_controlled_accounts(controlling);
        expect(withoutFirst(controlled_accounts.map(String))).toEqual(withoutFirst(body.controlled_accounts));
      }
    });

    it('throws its own error with the name of the node', async () => {
      const error: unknown = await wharfkit()
        .history.get_transaction('f'.repeat(64))
        .catch((reason: unknown) => reason);
      expect((error as APIError).name).toBe('tx_not_found');
      expect((error as APIError).message).toBe('The transaction can not be found at /v1/history/get_transaction');
    });
  });
});

describeOnSets('clients of a history of leap-edge', (set) => {
  const folder = sampleFolder('leap-edge');
  let service: IndexedChain;
  beforeAll(async () => (service = await startIndexedChain(set, folder)), 180_000);
  afterAll(() => service.stop());

  const eosjs = () => new JsonRpc(service.url, { fetch });
  const wharfkit = () => new APIClient({ url: service.url }).v1;
  interface ChainBlock {
    id: string;
    timestamp: string;
    producer: string;
    producer_signature: string;
    ref_block_prefix: number;
    transactions: { status: string; trx: string | { id: string; transaction: { expiration: string } } }[];
  }
  interface TraceTransaction {
    id: string;
    actions: { global_sequence: number | string }[];
  }
  const chainBlocks = [...readChainBlocks(folder)].map(({ blockNum, body }) => ({
    blockNum,
    block: JSON.parse(body) as ChainBlock,
  }));

  it('eosjs gets what the node gave with get_block, by number and by id', async () => {
    // Data is decoded with the ABI in force, where the node took the last one: see docs/compatibility.md.
    const withoutData = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, field: unknown) => (key === 'data' ? undefined : field)));
    for (const { blockNum, block } of chainBlocks.filter((_, index) => index % 5 === 0)) {
      expect(withoutData(await eosjs().get_block(blockNum))).toEqual(withoutData(block));
      expect(withoutData(await eosjs().get_block(block.id))).toEqual(withoutData(block));
    }
  });

  it('eosjs gets traces with trace_get_block', async () => {
    const recorded = [...readTraceBlocks(folder)].filter(({ status }, index) => status === 200 && index % 5 === 0);
    expect(recorded.length).toBeGreaterThan(40);
    for (const { blockNum, body } of recorded) {
      const found = await eosjs().trace_get_block(blockNum);
      const node = JSON.parse(body) as typeof found;
      // eosjs declares them as one transaction, but they are a list.
      const sequencesOf = (block: typeof found) =>
        (block.transactions as unknown as TraceTransaction[]).map(({ id, actions }) => [
          id,
          actions.map(({ global_sequence }) => global_sequence),
        ]);
      expect([found.id, sequencesOf(found)]).toEqual([node.id, sequencesOf(node)]);
    }
  });

  it('wharfkit parses every block that the node gave with chain.get_block', async () => {
    for (const { blockNum, block } of chainBlocks) {
      const found = await wharfkit().chain.get_block(blockNum);
      expect(found.block_num.toNumber()).toBe(blockNum);
      expect(String(found.id)).toBe(block.id);
      expect(found.timestamp.toString()).toBe(block.timestamp);
      expect(String(found.producer)).toBe(block.producer);
      expect(String(found.producer_signature)).toBe(block.producer_signature);
      expect(found.ref_block_prefix.toNumber()).toBe(block.ref_block_prefix);
      expect(found.transactions.map(({ id, status }) => [String(id), status])).toEqual(
        block.transactions.map(({ trx, status }) => [typeof trx === 'string' ? trx : trx.id, status]),
      );
    }
  });

  it('wharfkit throws the error of a node for a block that is not there', async () => {
    const error: unknown = await wharfkit()
      .chain.get_block(99999999)
      .catch((reason: unknown) => reason);
    expect([(error as APIError).code, (error as APIError).name]).toEqual([3100002, 'unknown_block_exception']);
  });

  it('both read the accounts of every key as the node knew them', async () => {
    const { keys } = readAuthorizers(folder);
    for (const [key, authorizations] of Object.entries(keys)) {
      const expected = [...new Set(authorizations.map(({ account_name }) => account_name))].sort();
      expect((await eosjs().history_get_key_accounts(key)).account_names).toEqual(expected);
      expect((await wharfkit().history.get_key_accounts(key)).account_names.map(String)).toEqual(expected);
    }
  });
});
