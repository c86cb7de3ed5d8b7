import { findDifferences, pathText } from './difference';
import { parseExactJson } from './exact-json';

const differences = (recorded: string, ours: string) =>
  findDifferences(parseExactJson(recorded), parseExactJson(ours)).map(({ path, recorded, ours }) => [
    pathText(path),
    recorded,
    ours,
  ]);

describe('findDifferences', () => {
  it('finds no difference between equal values', () => {
    expect(differences('{"a":[{"b":1}]}', '{"a":[{"b":1}]}')).toEqual([]);
  });

  it('reports the path and both values of each difference', () => {
    expect(differences('{"a":[{"b":1,"c":2}],"d":null}', '{"a":[{"b":3,"c":2}],"e":0}')).toEqual([
      ['a[0].b', 1, 3],
      ['d', null, undefined],
      ['e', undefined, 0],
    ]);
  });

  it('distinguishes a number from a string, and integers beyond the precision of a double', () => {
    expect(differences('{"a":1}', '{"a":"1"}')).toEqual([['a', 1, '1']]);
    expect(differences('[9007199254740993]', '[9007199254740992]')).toHaveLength(1);
  });

  it('reports objects with another order of keys, and arrays of another length, as a whole', () => {
    expect(differences('{"x":{"a":1,"b":2}}', '{"x":{"b":2,"a":1}}')).toEqual([['x', { a: 1, b: 2 }, { b: 2, a: 1 }]]);
    expect(differences('{"x":[1]}', '{"x":[1,2]}')).toEqual([['x', [1], [1, 2]]]);
  });

  it('reports decoded data as a whole', () => {
    expect(differences('{"data":{"a":1}}', '{"data":{"a":2}}')).toEqual([['data', { a: 1 }, { a: 2 }]]);
  });
});
