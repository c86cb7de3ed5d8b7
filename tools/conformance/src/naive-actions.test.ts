import { groupTraces, queryNaively, type ActionsRequest, type TraceJson } from './naive-actions';

/** A trace of `bank:pay` that `ann` authorised. */
function trace(sequence: number, fields: Partial<TraceJson> = {}): TraceJson {
  return {
    action_ordinal: 1,
    creator_action_ordinal: 0,
    closest_unnotified_ancestor_action_ordinal: 0,
    receipt: { global_sequence: sequence },
    receiver: 'bank',
    act: { account: 'bank', name: 'pay', authorization: [{ actor: 'ann', permission: 'active' }] },
    trx_id: `t${sequence}`,
    block_num: sequence,
    block_time: `2026-01-01T00:00:${String(sequence).padStart(2, '0')}.000`,
    producer_block_id: null,
    ...fields,
  };
}

const sequencesOf = (traces: readonly TraceJson[], request: ActionsRequest): number[] =>
  queryNaively(groupTraces(traces), request).rows.map(({ receipt }) => receipt.global_sequence);

describe('queryNaively', () => {
  const ten = Array.from({ length: 10 }, (_, index) => trace(index + 1));

  it.each<[ActionsRequest, number[], boolean]>([
    [{ offset: 3 }, [10, 9, 8], true],
    [{ pos: 8, offset: 3 }, [2, 1], false],
    [{ pos: 4, offset: -3 }, [8, 7, 6], true],
    [{ pos: 1, offset: -3 }, [10, 9], true],
    [{ pos: -1, offset: 2 }, [10, 9], true],
    [{ offset: -2 }, [10, 9], true],
    [{ sort: 'asc', after: 1, offset: 3 }, [1, 2, 3], true],
    [{ sort: 1, after: 1, pos: -1, offset: -2 }, [9, 10], false],
    [{ sort: '1', after: 1, pos: 4, offset: -3 }, [3, 4, 5], true],
    [{ after: 3, before: '5' }, [5, 4, 3], false],
    [{ after: '2026-01-01T00:00:09', before: '2026-01-01T03:00:09.000+03:00' }, [9], false],
    [{ after: 5, before: 3 }, [], false],
    [{ filter: 'bank:*,other:thing', offset: 1 }, [10], true],
    [{ filter: '*:thing' }, [], false],
    [{ account_name: 'nobody' }, [], false],
  ])('returns the rows for %j', (request, sequences, more) => {
    expect(sequencesOf(ten, request)).toEqual(sequences);
    expect(queryNaively(groupTraces(ten), request).more).toBe(more);
  });

  it('returns one row per action, with the receipt of the requested account', () => {
    const together = { trx_id: 't' };
    const traces = [
      trace(1, together),
      trace(2, {
        ...together,
        action_ordinal: 2,
        creator_action_ordinal: 1,
        closest_unnotified_ancestor_action_ordinal: 1,
        receiver: 'bob',
      }),
      // An inline action that bob sent while he was notified: it is an action of its own, not a notification.
      trace(3, {
        ...together,
        action_ordinal: 3,
        creator_action_ordinal: 2,
        closest_unnotified_ancestor_action_ordinal: 1,
      }),
    ];
    expect(sequencesOf(traces, { account_name: 'bank' })).toEqual([3, 1]);
    expect(sequencesOf(traces, { account_name: 'ann' })).toEqual([3, 1]);
    expect(sequencesOf(traces, { account_name: 'bob' })).toEqual([2]);
    expect(sequencesOf(traces, { parent: 0 })).toEqual([1]);
    expect(sequencesOf(traces, { parent: 2 })).toEqual([3]);
    expect(sequencesOf(traces, { parent: '1' })).toEqual([]);
  });
});
