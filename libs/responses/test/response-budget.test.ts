import { compileAbi, DecodeAllowance } from '@antelope-history/abi';
import { stringifyJson } from '@antelope-history/json';
import { ResponseBudget } from '@antelope-history/responses';

describe('ResponseBudget', () => {
  const limits = { bytes: 4 * 1024 * 1024, work: 0, abiWork: 0, abiMemoryBytes: 0 };

  it('counts a part by its upper bound while the response is small', () => {
    const budget = new ResponseBudget(limits);
    const before = budget.bytes;
    expect(budget.takePart(3, 1000)).toBe(true);
    expect(budget.bytes - before).toBe(1000);
  });

  it('counts the printed part and its comma exactly in a large response, and refuses what does not fit', () => {
    const budget = new ResponseBudget(limits);
    budget.take(3 * 1024 * 1024);
    const before = budget.bytes;
    const printed = 2002;
    expect(budget.takePart(printed, 10_000)).toBe(true);
    expect(budget.bytes - before).toBe(printed + 1);
    const left = limits.bytes - budget.bytes;
    expect(budget.takePart(left, left)).toBe(false);
    expect(budget.takePart(printed, 10_000, left)).toBe(false);
    expect(budget.bytes - before).toBe(printed + 1);
  });
});

describe('DecodeAllowance', () => {
  it('bounds several decodings together, and tells when it refused one', () => {
    const decoder = compileAbi({
      version: 'eosio::abi/1.2',
      types: [],
      structs: [{ name: 's', base: '', fields: [{ name: 'a', type: 'bytes' }] }],
      actions: [{ name: 'a', type: 's' }],
      tables: [],
      variants: [],
      action_results: [],
    });
    const data = Buffer.concat([Buffer.from([0xe8, 0x07]), Buffer.alloc(1000, 1)]);
    const allowance = new DecodeAllowance(5000);
    const decoded = [1, 2, 3].map(() => decoder.decodeAction('a', data, allowance));
    expect(decoded.map((value) => value !== undefined)).toEqual([true, true, false]);
    expect([allowance.exceeded, allowance.left]).toEqual([true, 0]);
    expect(stringifyJson(decoded[0])).toHaveLength(2008);
  });
});
