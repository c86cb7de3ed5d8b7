import { randomBytes } from 'node:crypto';
import { docValues, recordField, textOf } from './doc-values';

/** The longest value that the server takes. */
const SERVER_LIMIT = 32_766;

describe('the field of a record', () => {
  it.each([
    [0, 'record'],
    [1_000, 'record'],
    [1_001, 'large_record'],
    [1_000_000, 'large_record'],
  ])('of %d characters is %s', (length, field) => {
    expect(recordField('A'.repeat(length))).toBe(field);
  });
});

describe('the doc values of a text', () => {
  it.each([0, 1, 32_000, 32_001, 64_000, 64_001, 1_000_000])(
    'of %d characters are joined as the server sorts them',
    (length) => {
      const text = randomBytes(length).toString('base64').slice(0, length);
      const values = [docValues(text)].flat();
      expect(values.length).toBe(Math.max(1, Math.ceil(length / 32_000)));
      expect(values.every((value) => value.length <= SERVER_LIMIT)).toBe(true);
      const sorted = [...values].reverse().sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      expect(textOf(sorted)).toBe(text);
    },
  );
});
