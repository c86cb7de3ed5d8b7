import {
  blockAt,
  blockTransactionsOf,
  readRecordedChain,
  type RecordedChain,
  runSteps,
  storedBlockOf,
  UnlimitedBudget,
} from '@antelope-history/endpoint-testing';
import { stringifyJson } from '@antelope-history/json';
import type { AbiDecoders } from '@antelope-history/responses';
import { readTraceBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import type { GetTraceBlockResponse } from '@antelope-history/trace-routes';
import * as renderer from '../src/get-block-response';

const { abisOfBlockTraces } = renderer;
/** A block as objects, whatever its size. */
const renderBlockTraces = (traces: renderer.StoredBlockTraces, decoders: AbiDecoders) =>
  runSteps(renderer.renderBlockTraces(traces, decoders, new UnlimitedBudget()));

function storedTracesAt(chain: RecordedChain, blockNum: number): renderer.StoredBlockTraces {
  const records = blockAt(chain, blockNum);
  return { status: chain.status, block: storedBlockOf(records), transactions: blockTransactionsOf(records) };
}

type TransactionJson = GetTraceBlockResponse['transactions'][number];
type ActionJson = TransactionJson['actions'][number];

const actionsOf = (block: GetTraceBlockResponse): ActionJson[] => block.transactions.flatMap(({ actions }) => actions);

/**
 * Removes what the node could not show: it was configured with the ABIs of a few contracts only, and it has no block id
 * while it produces a block.
 */
function withoutWhatTheNodeLacked(
  rendered: GetTraceBlockResponse,
  body: string,
  abisGiven: readonly string[],
): GetTraceBlockResponse {
  const recorded: GetTraceBlockResponse = JSON.parse(body);
  for (const [index, transaction] of rendered.transactions.entries()) {
    if (recorded.transactions[index]?.producer_block_id === null) transaction.producer_block_id = null;
  }
  for (const action of actionsOf(rendered)) {
    if (abisGiven.includes(action.account)) continue;
    delete action.params;
    delete action.return_data;
  }
  return rendered;
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
    const different = recorded.filter(({ blockNum, body }) => {
      const rendered = renderBlockTraces(storedTracesAt(chain, blockNum), chain.abis.atEnd);
      return stringifyJson(withoutWhatTheNodeLacked(rendered, body, abisGiven)) !== body;
    });
    expect(different.map(({ blockNum }) => blockNum)).toEqual([]);
  });
});

describe('trace_api get_block', () => {
  const chain = readRecordedChain('leap-edge');
  const recorded = [...readTraceBlocks(sampleFolder('leap-edge'))];
  const renderAt = (blockNum: number): GetTraceBlockResponse => {
    const stored = storedTracesAt(chain, blockNum);
    return renderBlockTraces(stored, chain.abis.decodersFor(abisOfBlockTraces(stored)));
  };

  it('differs with the ABIs in force only for onblock under the first system ABI and for upgraded contracts', () => {
    const changed = new Set<string>();
    for (const [blockNum] of chain.blocks) {
      if (blockNum === 1) continue;
      const inForce = renderAt(blockNum);
      const atEnd = renderBlockTraces(storedTracesAt(chain, blockNum), chain.abis.atEnd);
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

  it('shows the status irreversible up to the last irreversible block', () => {
    const irreversible = chain.status.lastIrreversible?.num ?? 0;
    expect(renderAt(irreversible).status).toBe('irreversible');
    expect(renderAt(irreversible + 1).status).toBe('pending');
  });
});
