import type { ActionsPage } from '@antelope-history/store';
import {
  readRecordedChain,
  received,
  runSteps,
  storedActionsOf,
  UnlimitedBudget,
} from '@antelope-history/endpoint-testing';
import type { GetActionsResponse } from '@antelope-history/history-routes';
import { stringifyJson } from '@antelope-history/json';
import type { AbiDecoders } from '@antelope-history/responses';
import type { StoredAction } from '@antelope-history/store';
import { readHistoryResponses, sampleFolder } from '@antelope-history/test-support/recordings';
import { abisOfActions, renderActions } from '../src/get-actions-response';
import { withLongIntegersQuoted, withoutElapsed, withoutLeapActionFields } from './eosio-2.0';

/** A page, whatever its size. */
const render = (page: ActionsPage, account: string | undefined, decoders: AbiDecoders) =>
  runSteps(renderActions(page, account, decoders, new UnlimitedBudget()));

type Row = GetActionsResponse['actions'][number];

describe('get_actions of eosio20-edge', () => {
  const chain = readRecordedChain('eosio20-edge');
  const actions = [...chain.blocks.values()].flatMap(storedActionsOf);
  const bySequence = new Map<number, StoredAction>();
  for (const row of actions) for (const { receipt } of row.action.traces) bySequence.set(receipt.globalSequence, row);

  const recordedRows = new Map<number, Row>();
  for (const { path, status, body } of readHistoryResponses(sampleFolder('eosio20-edge'))) {
    if (path !== '/v1/history/get_actions' || status !== 200) continue;
    const { actions: rows }: GetActionsResponse = JSON.parse(withLongIntegersQuoted(body));
    for (const row of rows) recordedRows.set(Number(row.global_action_seq), row);
  }

  it('has the rows of the history plugin, except for the plugin’s own count of an account’s actions', () => {
    expect(recordedRows.size).toBeGreaterThan(2000);
    const different: number[] = [];
    for (const [sequence, recorded] of recordedRows) {
      const stored = bySequence.get(sequence);
      if (!stored) throw new Error(`no action has the global sequence ${sequence}`);
      const page = { status: chain.status, rows: [stored], more: false };
      const { actions: rows } = render(page, recorded.action_trace.receiver, chain.abis.atEnd);
      const row = stringifyJson(rows).slice(1, -1);
      const { recv_sequence } = recorded.action_trace.receipt;
      const expected = withoutElapsed(JSON.stringify({ ...recorded, account_action_seq: recv_sequence }));
      if (withoutLeapActionFields(withLongIntegersQuoted(row)) !== expected) different.push(sequence);
    }
    expect(different).toEqual([]);
  });

  it('shows the contract’s trace for an account that only authorised the action, and without an account', () => {
    const authorised = actions.find(({ action }) => {
      const [actor] = action.authorization.map((level) => level.actor);
      return actor !== undefined && action.traces.every(({ receiver }) => receiver !== actor);
    });
    if (!authorised) throw new Error('no action was recorded that its authoriser did not receive');
    const page = { status: chain.status, rows: [authorised], more: true };
    for (const account of [undefined, authorised.action.authorization[0]?.actor]) {
      const response = received(render(page, account, chain.abis.decodersFor(abisOfActions(page.rows)))).body;
      expect(response.actions[0]?.action_trace.receiver).toBe(authorised.action.account);
      expect(response).toMatchObject({
        last_irreversible_block: chain.status.lastIrreversible?.num,
        head_block_num: 298,
        more: true,
      });
    }
  });

  it('requests each ABI of a contract once, and decodes with the ABI in force', () => {
    const requests = abisOfActions(actions);
    const changing = requests.filter(({ account }) => account === 'upgrader');
    expect(changing.length).toBeLessThan(10);
    const decoders = chain.abis.decodersFor(requests);
    for (const { action, blockNum } of actions) {
      const sequence = action.traces[0]?.receipt.globalSequence ?? 0;
      const alone = chain.abis.decodersFor([{ account: action.account, blockNum, sequence }]);
      expect(decoders.at(action.account, blockNum, sequence)).toBe(alone.at(action.account, blockNum, sequence));
    }
  });

  it('renders an empty list for a page without rows', () => {
    const status = { ...chain.status, committed: undefined, head: undefined, lastIrreversible: undefined };
    const page = { status, rows: [], more: false };
    expect(received(render(page, 'alice', chain.abis.atEnd)).body).toEqual({
      actions: [],
      last_irreversible_block: 0,
      head_block_num: 0,
      more: false,
    });
  });
});
