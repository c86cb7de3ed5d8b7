import fc from 'fast-check';
import { loadConfig } from '@antelope-history/app-runtime';
import { parseDataField } from '@antelope-history/data-fields';

const NAME = fc.stringMatching(/^[a-z1-6.:]{0,14}$/);
const FIELD = fc.stringMatching(/^[A-Za-z_0-9.]{0,5}$/);
const NEARLY_A_KEY = fc
  .tuple(NAME, fc.constantFrom(':', '.', ''), NAME, fc.constantFrom('.', ':', ''), FIELD)
  .map((parts) => parts.join(''));

function isTaken(key: string): boolean {
  try {
    loadConfig({ HISTORY_INDEX__DATA_FIELDS: key });
    return true;
  } catch {
    return false;
  }
}

/** The configuration has an expression of its own: the gateway, which has it too, depends on no decoder. */
it('takes as index.data_fields what parses as a data field', () => {
  const taken = new Set<boolean>();
  const property = fc.property(NEARLY_A_KEY, (key) => {
    fc.pre(key !== '');
    const isField = parseDataField(key) !== undefined;
    taken.add(isField);
    expect([key, isTaken(key)]).toEqual([key, isField]);
  });
  fc.assert(property, { seed: 3, numRuns: 300 });
  expect(taken.size).toBe(2);
});
