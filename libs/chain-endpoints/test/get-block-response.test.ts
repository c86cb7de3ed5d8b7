import type { GetChainBlockResponse } from '@antelope-history/chain-routes';
import {
  blockAt,
  readRecordedChain,
  received,
  runSteps,
  storedBlockOf,
  UnlimitedBudget,
} from '@antelope-history/endpoint-testing';
import { stringifyJson } from '@antelope-history/json';
import type { AbiDecoders } from '@antelope-history/responses';
import type { StoredBlock } from '@antelope-history/store';
import { readChainBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import * as renderer from '../src/get-block-response';

/** A block, whatever its size. */
const renderBlock = (block: StoredBlock, decoders: AbiDecoders) =>
  runSteps(renderer.renderBlock(block, decoders, new UnlimitedBudget()));
const abisOfBlock = (block: StoredBlock) => runSteps(renderer.abisOfBlock(block));

/** The account `upgrader` had no ABI, another one, an invalid one and none again before its last: `changing` ran under each. */
const UNDECODED = '"2c01000003686579"';

/**
 * Compares with the nodes' own responses byte for byte. The nodes decode with the ABIs at the time of the request, which
 * was the end of the recording, and this service with the ABI in force when the action ran. So the whole response is
 * compared when rendered with the latest ABIs, and the differences that the ABIs in force make are counted.
 */
describe.each([
  { name: 'leap-edge', blocks: 458 },
  { name: 'eosio20-edge', blocks: 277 },
] as const)('get_block of $name', ({ name, blocks }) => {
  const chain = readRecordedChain(name);
  const recorded = [...readChainBlocks(sampleFolder(name))];

  it('was recorded for every block', () => {
    expect(recorded).toHaveLength(blocks);
    expect(recorded.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('equals the node’s response when rendered with the latest ABIs', () => {
    const different = recorded.filter(({ blockNum, body }) => {
      const rendered = renderBlock(storedBlockOf(blockAt(chain, blockNum)), chain.abis.atEnd);
      return stringifyJson(rendered) !== body;
    });
    expect(different.map(({ blockNum }) => blockNum)).toEqual([]);
  });

  it('differs with the ABIs in force only in the data of actions that ran under an older ABI', () => {
    const older: string[] = [];
    for (const { blockNum } of recorded) {
      const stored = storedBlockOf(blockAt(chain, blockNum));
      const atEnd = received(renderBlock(stored, chain.abis.atEnd)).body;
      const inForce = received(renderBlock(stored, chain.abis.decodersFor(abisOfBlock(stored)))).body;
      const endActions = actionsOf(atEnd);
      for (const [index, action] of actionsOf(inForce).entries()) {
        const atEnd = endActions[index];
        if (!atEnd || stringifyJson(action.data) === stringifyJson(atEnd.data)) continue;
        older.push(stringifyJson(action.data));
        Object.assign(action, atEnd);
      }
      expect(stringifyJson(inForce)).toBe(stringifyJson(atEnd));
    }
    expect(older).toEqual([UNDECODED, '{"total":44,"rest":"00"}', UNDECODED, UNDECODED]);
  });
});

type ActionJson = Extract<
  GetChainBlockResponse['transactions'][number]['trx'],
  object
>['transaction']['actions'][number];

function actionsOf(block: GetChainBlockResponse): ActionJson[] {
  return block.transactions.flatMap(({ trx }) =>
    typeof trx === 'string' ? [] : [...trx.transaction.context_free_actions, ...trx.transaction.actions],
  );
}
