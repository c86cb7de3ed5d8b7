import { compareResponses, type Reason } from './comparison';
import { hexDataAlways, returnValueAlways } from './reasons/eosio-2.0';
import { elapsedOfShip } from './reasons/history';
import { producerBlockId } from './reasons/producer-block-id';
import type { RecordedBlock } from './recorded-block';

const block: RecordedBlock = {
  num: 7,
  id: 'ab',
  block: undefined,
  traces: [],
  accounts: [],
  accountMetadata: [],
  permissions: [],
};

/** The reasons of all differences, then the differences without a reason. */
function explain(recorded: string, ours: string, reason: Reason<{ block: RecordedBlock }>): string[] {
  const { reasons, unexplained } = compareResponses(recorded, ours, [reason], { block });
  return [...reasons, ...unexplained];
}

describe('compareResponses', () => {
  it('finds no difference between equal responses', () => {
    expect(explain('{"a":1}', '{"a":1}', producerBlockId)).toEqual([]);
  });

  it('reports differences that no reason explains', () => {
    expect(explain('{"a":1}', '{"a":2}', producerBlockId)).toEqual(['a: recorded 1, ours 2']);
    expect(explain('{"a":1}', '{}', producerBlockId)).toEqual(['a: recorded 1, ours nothing']);
  });

  it('reports a reason once, and the differences that it does not explain', () => {
    const recorded = '{"x":[{"producer_block_id":null},{"producer_block_id":null}],"a":1}';
    const ours = '{"x":[{"producer_block_id":"ab"},{"producer_block_id":"ab"}],"a":2}';
    expect(explain(recorded, ours, producerBlockId)).toEqual(['producer-block-id', 'a: recorded 1, ours 2']);
  });
});

describe('a reason', () => {
  it.each<[string, Reason<{ block: RecordedBlock }>, string, string]>([
    ['producer-block-id', producerBlockId, '{"producer_block_id":null}', '{"producer_block_id":"ab"}'],
    ['hex-data-always', hexDataAlways, '{"data":"00ff"}', '{"data":"00ff","hex_data":"00ff"}'],
    ['return-value-always', returnValueAlways, '{}', '{"return_value":""}'],
    ['elapsed', elapsedOfShip, '{"elapsed":71}', '{"elapsed":0}'],
  ])('%s explains its difference', (name, reason, recorded, ours) => {
    expect(explain(recorded, ours, reason)).toEqual([name]);
  });

  it.each<[string, Reason<{ block: RecordedBlock }>, string, string]>([
    ['the id of another block', producerBlockId, '{"producer_block_id":null}', '{"producer_block_id":"cd"}'],
    [
      'a changed id where the node returned one',
      producerBlockId,
      '{"producer_block_id":"cd"}',
      '{"producer_block_id":"ab"}',
    ],
    ['other bytes', hexDataAlways, '{"data":"00ff"}', '{"data":"00ff","hex_data":"00"}'],
    ['hex_data of an action that the node decoded', hexDataAlways, '{"data":{}}', '{"data":{},"hex_data":"00"}'],
    ['a return value that is not empty', returnValueAlways, '{}', '{"return_value":"00"}'],
    ['a missing value that the node returned', returnValueAlways, '{"return_value":""}', '{}'],
    ['another time', elapsedOfShip, '{"elapsed":71}', '{"elapsed":70}'],
  ])('does not explain %s', (_, reason, recorded, ours) => {
    const [difference] = explain(recorded, ours, reason);
    expect(difference).toContain(': recorded ');
  });
});
