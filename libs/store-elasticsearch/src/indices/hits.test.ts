import type { FoundHit } from '../client/search';
import { encodeOrigin } from './action-origin';
import { docValues } from './doc-values';
import { actionOf, fetchAction, fetchRecord, recordOf } from './hits';

const BLOCK = '00000007'.padEnd(64, 'b');
const TRANSACTION = 'c'.repeat(64);
const RECORD = Buffer.from('a record');
const HIT: FoundHit = { index: 'i', id: '', seqNo: 0, primaryTerm: 0, sort: [12] };
const ACTION = {
  sequence: 12,
  blockNum: 7,
  block: BLOCK,
  timestamp: 5,
  transaction: TRANSACTION,
  firstSequence: 11,
  record: RECORD,
};

describe('an action of a hit', () => {
  it('is the same in both layouts', () => {
    const transaction = Buffer.from(TRANSACTION, 'hex');
    const origin = encodeOrigin({ blockNum: 7, block: BLOCK, timestamp: 5, firstSequence: 11, transaction });
    const fields = { origin: [origin], record: [RECORD.toString('base64')] };
    const source = {
      sequence: 12,
      block_num: 7,
      block: BLOCK,
      timestamp: 5,
      transaction: TRANSACTION,
      first_sequence: 11,
      record: RECORD.toString('base64'),
    };
    expect(actionOf({ ...HIT, fields })).toEqual(ACTION);
    expect(actionOf({ ...HIT, _source: source })).toEqual(ACTION);
    const requested = { docvalue_fields: ['origin', 'record', 'large_record'] };
    expect(fetchAction('doc-values', true)).toEqual(requested);
    expect(fetchAction('doc-values', false)).toEqual({ ...requested, stored_fields: '_none_' });
    expect(fetchAction('source', false)).toEqual({ _source: Object.keys(source) });
  });

  it('can be read as its record alone', () => {
    const record = RECORD.toString('base64');
    const expected = { sequence: ACTION.sequence, record: RECORD };
    expect(recordOf({ ...HIT, fields: { record: [record] } })).toEqual(expected);
    expect(recordOf({ ...HIT, fields: { large_record: [record] } })).toEqual(expected);
    expect(recordOf({ ...HIT, _source: { record } })).toEqual(expected);
    expect(fetchRecord('doc-values')).toEqual({ docvalue_fields: ['record', 'large_record'], stored_fields: '_none_' });
    expect(fetchRecord('source')).toEqual({ _source: ['record'] });
  });

  it('has a large record in a field of its own, or in parts of an earlier index', () => {
    const record = Buffer.alloc(40_000, 'a record');
    const base64 = record.toString('base64');
    const transaction = Buffer.from(TRANSACTION, 'hex');
    const origin = [encodeOrigin({ blockNum: 7, block: BLOCK, timestamp: 5, firstSequence: 11, transaction })];
    const large = { ...ACTION, record };
    expect(actionOf({ ...HIT, fields: { origin, large_record: [base64] } })).toEqual(large);
    expect(actionOf({ ...HIT, fields: { origin, record: docValues(base64) as string[] } })).toEqual(large);
  });

  it.each([[{}], [{ fields: {} }], [{ fields: { record: ['AA=='] } }]])(
    'without its contents is refused: %j',
    (contents) => {
      expect(() => actionOf({ ...HIT, ...contents })).toThrow(expect.objectContaining({ code: 'STORE_REFUSED' }));
    },
  );

  it.each([[{}], [{ fields: {} }], [{ _source: {} }]])('without its record is refused: %j', (contents) => {
    expect(() => recordOf({ ...HIT, ...contents })).toThrow(expect.objectContaining({ code: 'STORE_REFUSED' }));
  });
});
