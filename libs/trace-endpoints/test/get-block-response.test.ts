import { compileAbi } from '@antelope-history/abi';
import {
  blockAt,
  blockTransactionsOf,
  makeAction,
  readRecordedChain,
  received,
  type RecordedChain,
  runSteps,
  storedBlockOf,
  UnlimitedBudget,
} from '@antelope-history/endpoint-testing';
import { stringifyJson } from '@antelope-history/json';
import type { AbiDecoders } from '@antelope-history/responses';
import { readReceipts } from '@antelope-history/ship';
import { readTraceBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import type { GetTraceBlockResponse } from '@antelope-history/trace-routes';
import * as renderer from '../src/get-block-response';

const { abisOfBlockTraces } = renderer;
/** A block, whatever its size. */
const renderBlockTraces = (traces: renderer.StoredBlockTraces, decoders: AbiDecoders) =>
  runSteps(renderer.renderBlockTraces(traces, decoders, new UnlimitedBudget()));

function storedTracesAt(chain: RecordedChain, blockNum: number): renderer.StoredBlockTraces {
  const records = blockAt(chain, blockNum);
  return { status: chain.status, block: storedBlockOf(records), transactions: blockTransactionsOf(records) };
}

type TransactionJson = GetTraceBlockResponse['transactions'][number];
type ActionJson = TransactionJson['actions'][number];

const actionsOf = (block: GetTraceBlockResponse): ActionJson[] => block.transactions.flatMap(({ actions }) => actions);

/** The node had no block id while it produced a block. */
function withBlockIdOf(recorded: string, rendered: string): string {
  if (!recorded.includes('"producer_block_id":null')) return rendered;
  return rendered.replaceAll(/"producer_block_id":"[0-9a-f]{64}"/g, '"producer_block_id":null');
}

/** Compares with the nodes' own responses byte for byte. Their configured ABIs are the latest of the recording. */
describe.each([
  {
    name: 'leap-edge',
    blocks: 413,
    abisGiven: ['eosio', 'eosio.token', 'game', 'types'],
  },
  { name: 'eosio20-edge', blocks: 276, abisGiven: [] },
] as const)('trace_api get_block of $name', ({ name, blocks, abisGiven }) => {
  const chain = readRecordedChain(name);
  const recorded = [...readTraceBlocks(sampleFolder(name))].filter(({ status }) => status === 200);

  it('was recorded', () => {
    expect(recorded).toHaveLength(blocks);
  });

  it('equals the node’s response when rendered with the latest ABIs', () => {
    // The node was configured with the ABIs of a few contracts only.
    const given: readonly string[] = abisGiven;
    const decoders: AbiDecoders = {
      at: (account, ...position) => (given.includes(account) ? chain.abis.atEnd.at(account, ...position) : undefined),
    };
    const different = recorded.filter(({ blockNum, body }) => {
      const rendered = renderBlockTraces(storedTracesAt(chain, blockNum), decoders);
      return withBlockIdOf(body, stringifyJson(rendered)) !== body;
    });
    expect(different.map(({ blockNum }) => blockNum)).toEqual([]);
  });
});

describe('trace_api get_block', () => {
  const chain = readRecordedChain('leap-edge');
  const recorded = [...readTraceBlocks(sampleFolder('leap-edge'))];
  const renderAt = (blockNum: number): GetTraceBlockResponse => {
    const stored = storedTracesAt(chain, blockNum);
    return received(renderBlockTraces(stored, chain.abis.decodersFor(abisOfBlockTraces(stored)))).body;
  };

  it('differs with the ABIs in force only for onblock under the first system ABI and for upgraded contracts', () => {
    const changed = new Set<string>();
    for (const [blockNum] of chain.blocks) {
      if (blockNum === 1) continue;
      const inForce = renderAt(blockNum);
      const atEnd = received(renderBlockTraces(storedTracesAt(chain, blockNum), chain.abis.atEnd)).body;
      const endActions = actionsOf(atEnd);
      for (const [index, action] of actionsOf(inForce).entries()) {
        const params = endActions[index]?.params;
        if (stringifyJson(action.params) === stringifyJson(params)) continue;
        changed.add(`${action.account}:${action.action}`);
        action.params = params;
      }
      expect(stringifyJson(inForce)).toBe(stringifyJson(atEnd));
    }
    expect([...changed]).toEqual(['eosio:onblock', 'upgrader:changing']);
  });

  it('responds where the node failed on an action that it could not decode', () => {
    const failed = recorded.filter(({ status }) => status === 500);
    expect(failed).toHaveLength(44);
    for (const { blockNum } of failed) expect(actionsOf(renderAt(blockNum)).some(({ params }) => !params)).toBe(true);
  });

  it('leaves out params that decode to null, as nodes do', () => {
    const decoder = compileAbi({
      version: 'eosio::abi/1.2',
      types: [],
      structs: [],
      actions: [{ name: 'a', type: 'uint8?' }],
      tables: [],
      variants: [],
      action_results: [],
    });
    const stored = storedTracesAt(chain, 10);
    const [transaction] = stored.transactions as [renderer.StoredBlockTraces['transactions'][number]];
    const actions = [Buffer.from([0]), Buffer.from([1, 7])].map((data) => makeAction({ name: 'a', data }));
    const transactions = [{ record: { ...transaction.record, receiptIndex: -1 }, actions }];
    const { body } = received(renderBlockTraces({ ...stored, transactions }, { at: () => decoder }));
    expect(actionsOf(body).map(({ params }) => params)).toEqual([undefined, 7]);
  });

  it('shows a deferred transaction of which neither its block nor its trace has the header', () => {
    const isDeferred = ({ transaction }: { transaction: object }): boolean => 'id' in transaction;
    const blockNum = [...chain.blocks.keys()].find((num) =>
      readReceipts(storedBlockOf(blockAt(chain, num)).block).some(isDeferred),
    );
    const stored = storedTracesAt(chain, blockNum ?? 0);
    const transactions = stored.transactions.map(({ record, actions }) => ({
      record: { ...record, partial: undefined },
      actions,
    }));
    const { body } = received(renderBlockTraces({ ...stored, transactions }, { at: () => undefined }));
    const { length } = readReceipts(stored.block.block).filter(isDeferred);
    expect(body.transactions.filter(({ signatures }) => signatures.length === 0).length).toBeGreaterThanOrEqual(length);
    expect(length).toBeGreaterThan(0);
  });

  it('shows the status irreversible up to the last irreversible block', () => {
    const irreversible = chain.status.lastIrreversible?.num ?? 0;
    expect(renderAt(irreversible).status).toBe('irreversible');
    expect(renderAt(irreversible + 1).status).toBe('pending');
  });
});
