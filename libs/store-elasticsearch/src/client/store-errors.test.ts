import { foundDocuments } from './store-errors';

describe('the documents of a multi-get', () => {
  const found = { _index: 'blocks', _id: 'a', found: true, _source: { num: 1 } };

  it('are those that exist', () => {
    expect(foundDocuments([found, { _index: 'blocks', _id: 'b', found: false }])).toEqual([found, undefined]);
  });

  it('are unknown when one could not be read: a document that cannot be read is not missing', () => {
    const error = { type: 'no_shard_available_action_exception', reason: 'the shard is moving' };
    expect(() => foundDocuments([found, { _index: 'blocks', _id: 'b', error }])).toThrow(
      expect.objectContaining({ code: 'STORE_UNAVAILABLE' }),
    );
    const missing = { type: 'index_not_found_exception', reason: 'no such index' };
    expect(() => foundDocuments([{ _index: 'blocks', _id: 'b', error: missing }])).toThrow(
      expect.objectContaining({ code: 'STORE_UNAVAILABLE' }),
    );
  });
});
