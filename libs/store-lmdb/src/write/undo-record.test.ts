import type { PermissionChange } from '@antelope-history/records';
import fc from 'fast-check';
import { decodeUndo, encodeUndo } from './undo-record';

const name = fc.stringMatching(/^([a-z1-5.]{0,11}[a-z1-5])?$/);
const bytes = (limits: fc.IntArrayConstraints): fc.Arbitrary<Buffer> =>
  fc.uint8Array(limits).map((array) => Buffer.from(array));

const permission: fc.Arbitrary<PermissionChange> = fc.record({
  owner: name,
  name,
  authority: fc.option(
    fc.record({
      keys: fc.array(bytes({ maxLength: 300, size: 'max' }), { maxLength: 4 }),
      actors: fc.array(name, { maxLength: 4 }),
    }),
    { nil: undefined },
  ),
});

describe('an undo record', () => {
  it('decodes to what was encoded', () => {
    const undo = fc.record({
      permissions: fc.array(permission, { maxLength: 200, size: 'max' }),
      abiKeys: fc.array(bytes({ minLength: 20, maxLength: 20 })),
    });
    fc.assert(fc.property(undo, (record) => expect(decodeUndo(encodeUndo(record))).toEqual(record)));
  });
});
