import { RecordWriter } from '@antelope-history/records';
import { BlockData } from './block-data';
import { DataFields, parseDataField } from './data-field';
import { dataText, fieldOf } from './data-value';
import { ExactInteger, OrderedObject } from '@antelope-history/json';

describe('parseDataField', () => {
  it.each([
    ['eosio.token:transfer.to', { contract: 'eosio.token', action: 'transfer', field: 'to' }],
    ['a.b:c.d.memo_1', { contract: 'a.b', action: 'c.d', field: 'memo_1' }],
  ])('reads %s', (key, field) => expect(parseDataField(key)).toEqual({ key, ...field }));

  it.each(['transfer.to', 'eosio.token:transfer', 'Eosio:transfer.to', 'a:b.', 'a:.b', 'a:b.1', 'a:b.c=d', ''])(
    'refuses "%s"',
    (key) => expect(parseDataField(key)).toBeUndefined(),
  );
});

describe('DataFields', () => {
  it('finds the fields of an action', () => {
    const fields = new DataFields(['a:b.to', 'a:b.from', 'a:b.to', 'c:b.to', 'no field']);
    expect(fields.keys).toEqual(['a:b.to', 'a:b.from', 'c:b.to']);
    expect(fields.of('a', 'b').map(({ field }) => field)).toEqual(['to', 'from']);
    expect([fields.of('a', 'c'), fields.of('b', 'b'), [...fields.contracts]]).toEqual([[], [], ['a', 'c']]);
  });
});

describe('dataText', () => {
  it('is that of scalars only, so that 5 and "5" are equal', () => {
    const values = ['5', 5, true, new ExactInteger('18446744073709551615'), null, [], { a: 1 }, undefined];
    expect(values.map(dataText)).toEqual([
      '5',
      '5',
      'true',
      '18446744073709551615',
      ...Array<undefined>(4).fill(undefined),
    ]);
  });

  it('reads own fields of objects only', () => {
    const ordered = new OrderedObject(new Map([['__proto__', 1]]));
    expect([
      fieldOf({ to: 'a' }, 'to'),
      fieldOf({}, 'toString'),
      fieldOf(ordered, '__proto__'),
      fieldOf([1], '0'),
    ]).toEqual(['a', undefined, 1, undefined]);
  });
});

describe('BlockData', () => {
  const fields = new DataFields(['a:b.to']);
  const record = new RecordWriter(64);
  // Flags, account, name, no authorization, one byte of data, no traces.
  for (const bytes of [Buffer.alloc(17), Buffer.from([0, 1, 7, 0])]) record.copy(bytes, 0, bytes.length);
  const action = { account: 'a', name: 'b', sequence: 10, bytes: record.view(0) };
  const decoding = (to: number) => ({
    decodeAction: () => ({ to }),
    writeAction: () => false,
    decodeActionResult: () => undefined,
    decode: () => 0,
  });

  it('decodes with the ABI before the block until an action sets another one', () => {
    const change = (sequence: number) => ({ account: 'a', sequence, abi: Buffer.alloc(0) });
    const valuesWith = (...sequences: number[]) =>
      new BlockData(fields, { abiChanges: sequences.map(change) }, () => decoding(1))
        .of(action)
        .map(({ text }) => text);
    expect([valuesWith(), valuesWith(10), valuesWith(11)]).toEqual([['1'], ['1'], ['1']]);
    expect([valuesWith(9), valuesWith(0), valuesWith(11, 9)]).toEqual([[], [], []]);
  });

  it('asks for no ABI of actions without indexed fields', () => {
    const data = new BlockData(fields, { abiChanges: [] }, () => {
      throw new Error('asked');
    });
    expect(data.of({ ...action, name: 'c' })).toEqual([]);
    expect(() => data.of(action)).toThrow('asked');
  });
});
