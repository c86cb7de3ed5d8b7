import { openRecording, openSample, sampleFolder, V1_MESSAGES_FILE } from '@antelope-history/test-support/recordings';
import { createShipProtocol } from '@antelope-history/ship';
import type { BlockRecords } from '@antelope-history/records';
import { deserializeBlock } from '../src/index';

const SAMPLE = 'spring-savanna';

/** The records of each block by id, without what depends on the moment at which a socket sent it. */
function recordsOf({ abi, messages }: ReturnType<typeof openSample>): Map<string, Partial<BlockRecords>> {
  const protocol = createShipProtocol(abi);
  const records = messages.map(({ bytes }) => {
    const result = protocol.readResult(bytes);
    if (result.kind !== 'blocks') throw new Error('not a result of blocks');
    const {
      head: _head,
      lastIrreversible: _lastIrreversible,
      actionRoot: _actionRoot,
      ...block
    } = deserializeBlock(result.blocks, protocol);
    return block;
  });
  return new Map(records.map((block) => [block.position.id, block]));
}

it('a Spring node sends the same blocks to a socket that asks for finality data', () => {
  const without = recordsOf(openSample(SAMPLE));
  const recording = openRecording(sampleFolder(SAMPLE), V1_MESSAGES_FILE);
  expect(recording.messages.some(({ finalityData }) => finalityData?.present)).toBe(true);
  const withFinality = recordsOf(recording);
  const shared = [...withFinality.keys()].filter((id) => without.has(id));
  expect(shared.length).toBeGreaterThan(650);
  for (const id of shared) expect(withFinality.get(id)).toEqual(without.get(id));
});
