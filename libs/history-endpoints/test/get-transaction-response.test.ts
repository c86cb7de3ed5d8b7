import {
  readRecordedChain,
  received,
  type RecordedChain,
  runSteps,
  storedTransactionOf,
  UnlimitedBudget,
} from '@antelope-history/endpoint-testing';
import type { GetTransactionResponse } from '@antelope-history/history-routes';
import { stringifyJson } from '@antelope-history/json';
import type { AbiDecoders } from '@antelope-history/responses';
import type { ChainStatus, StoredTransaction } from '@antelope-history/store';
import { readHistoryResponses, sampleFolder } from '@antelope-history/test-support/recordings';
import { abisOfTransaction, renderTransaction } from '../src/get-transaction-response';
import { withoutElapsed, withoutLeapActionFields } from './eosio-2.0';

/** A transaction, whatever its size. */
const render = (transaction: StoredTransaction, status: ChainStatus, decoders: AbiDecoders) =>
  runSteps(renderTransaction(transaction, status, decoders, new UnlimitedBudget()));

function storedTransactions(chain: RecordedChain): Map<string, StoredTransaction> {
  const byId = new Map<string, StoredTransaction>();
  for (const records of chain.blocks.values()) {
    for (const transaction of records.transactions) {
      const stored = storedTransactionOf(records, transaction);
      byId.set(stored.id, stored);
    }
  }
  return byId;
}

const ofId = (transactions: Map<string, StoredTransaction>, id: string): StoredTransaction => {
  const transaction = transactions.get(id);
  if (!transaction) throw new Error(`transaction ${id} is not on the surviving branch`);
  return transaction;
};

describe('get_transaction of eosio20-edge', () => {
  const chain = readRecordedChain('eosio20-edge');
  const transactions = storedTransactions(chain);
  const recorded = [...readHistoryResponses(sampleFolder('eosio20-edge'))]
    .filter(({ path, status }) => path === '/v1/history/get_transaction' && status === 200)
    .map(({ body }) => ({ body, expected: JSON.parse(body) as GetTransactionResponse }));

  it('equals the history plugin’s response byte for byte when rendered with the latest ABIs', () => {
    expect(recorded).toHaveLength(1390);
    const different = recorded.filter(({ body, expected }) => {
      const status = { ...chain.status, lastIrreversible: { num: expected.last_irreversible_block, id: '' } };
      const rendered = render(ofId(transactions, expected.id), status, chain.abis.atEnd);
      return withoutLeapActionFields(stringifyJson(rendered)) !== withoutElapsed(body);
    });
    expect(different.map(({ expected }) => expected.id)).toEqual([]);
  });

  it('differs with the ABIs in force only for onblock under the first system ABI and for upgraded contracts', () => {
    const changed = new Set<string>();
    for (const stored of transactions.values()) {
      const inForce = received(render(stored, chain.status, chain.abis.decodersFor(abisOfTransaction(stored)))).body;
      const atEnd = received(render(stored, chain.status, chain.abis.atEnd)).body;
      const endActs = actsOf(atEnd);
      for (const [index, act] of actsOf(inForce).entries()) {
        const data = endActs[index]?.data;
        if (stringifyJson(act.data) === stringifyJson(data)) continue;
        changed.add(`${act.account}:${act.name}`);
        act.data = data;
      }
      expect(stringifyJson(inForce)).toBe(stringifyJson(atEnd));
    }
    expect([...changed]).toEqual(['eosio:onblock', 'upgrader:changing']);
  });
});

describe('get_transaction of leap-edge', () => {
  const chain = readRecordedChain('leap-edge');
  const transactions = [...storedTransactions(chain).values()];
  const renderInForce = (stored: StoredTransaction): GetTransactionResponse =>
    received(render(stored, chain.status, chain.abis.decodersFor(abisOfTransaction(stored)))).body;

  it('shows return values, decoded if the ABI gives them a type', () => {
    const returned = transactions
      .flatMap((stored) => renderInForce(stored).traces)
      .filter(({ return_value_hex_data }) => return_value_hex_data !== '');
    expect(returned).toHaveLength(237);
    const [first] = returned;
    expect([first?.act.name, first?.return_value_hex_data, first?.return_value_data]).toEqual(['log', '03000000', 3]);
    expect(Object.keys(first ?? {}).slice(-3)).toEqual(['error_code', 'return_value_hex_data', 'return_value_data']);
  });

  it('shows the actions of a transaction like its traces do, including context-free ones', () => {
    const free = transactions.map(renderInForce).filter(({ trx }) => trx?.trx?.context_free_data.length);
    expect(free).toHaveLength(1);
    const [{ trx, traces }] = free as [GetTransactionResponse];
    const roots = traces.filter(({ creator_action_ordinal }) => creator_action_ordinal === 0);
    expect([...(trx?.trx?.context_free_actions ?? []), ...(trx?.trx?.actions ?? [])]).toEqual(
      roots.map(({ act }) => act),
    );
    expect(roots.map(({ context_free }) => context_free)).toContain(true);
    expect(trx?.trx?.context_free_data).toEqual(['636f6e7465787420667265652064617461', '']);
  });

  it('lists the traces in execution order, for any order of the actions', () => {
    const longest = transactions.reduce((left, right) => (right.actions.length > left.actions.length ? right : left));
    const response = renderInForce(longest);
    const sequences = response.traces.map(({ receipt }) => Number(receipt.global_sequence));
    expect(sequences).toEqual(sequences.toSorted((left, right) => left - right));
    expect(renderInForce({ ...longest, actions: longest.actions.toReversed() })).toEqual(response);
  });

  it('has a null trx for onerror, which the block does not list', () => {
    const onerrors = transactions.filter(({ record }) => record.status === 1);
    expect(onerrors).toHaveLength(5);
    for (const onerror of onerrors) {
      const { trx, traces } = renderInForce(onerror);
      expect(trx).toBeNull();
      expect(traces[0]?.act.name).toBe('onerror');
      expect(traces[0]?.trx_id).toBe(onerror.id);
    }
  });

  it('shows the receipt of a deferred transaction under its own id', () => {
    const deferred = transactions.filter((stored) => renderInForce(stored).trx?.receipt.trx[0] === 0);
    expect(deferred).toHaveLength(10);
    for (const stored of deferred) {
      expect(renderInForce(stored).trx).toEqual({
        receipt: expect.objectContaining({ status: 'executed', trx: [0, stored.id] }),
      });
    }
  });
});

type ActJson = GetTransactionResponse['traces'][number]['act'];

function actsOf({ trx, traces }: GetTransactionResponse): ActJson[] {
  const roots = [...(trx?.trx?.context_free_actions ?? []), ...(trx?.trx?.actions ?? [])];
  return [...roots, ...traces.map(({ act }) => act)];
}
