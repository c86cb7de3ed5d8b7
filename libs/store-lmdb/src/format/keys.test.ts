import fc from 'fast-check';
import {
  abiKey,
  blockKey,
  chunkKey,
  kindKey,
  LIST_PREFIX_BYTES,
  listPrefix,
  MAX_SEQUENCE,
  nameInKey,
  namesInKindKey,
  namesKey,
  readSequence,
  sequenceKey,
  transactionKey,
} from './keys';

const name = fc.stringMatching(/^([a-z1-5.]{0,11}[a-z1-5])?$/);
const sequence = fc.oneof(fc.nat(300), fc.maxSafeNat());
const blockNum = fc.nat(0xffffffff);

/** Compares the parts of two keys from the left. */
function expectOrder(keys: [Buffer, Buffer], parts: [(string | number)[], (string | number)[]]): void {
  const [left, right] = parts;
  const first = left.findIndex((part, index) => part !== right[index]);
  const order = first < 0 ? 0 : left[first]! < right[first]! ? -1 : 1;
  expect(Math.sign(keys[0].compare(keys[1]))).toBe(order);
}

describe('keys', () => {
  it('sort as their parts', () => {
    const tuple = fc.tuple(name, blockNum, sequence);
    fc.assert(
      fc.property(tuple, tuple, (left, right) => {
        const [leftName, leftNum, leftSequence] = left;
        const [rightName, rightNum, rightSequence] = right;
        expectOrder([blockKey(leftNum), blockKey(rightNum)], [[leftNum], [rightNum]]);
        expectOrder([sequenceKey(leftSequence), sequenceKey(rightSequence)], [[leftSequence], [rightSequence]]);
        expectOrder([abiKey(...left), abiKey(...right)], [left, right]);
        const chunks = [left, right].map(([account, kind, first]) => chunkKey(listPrefix(account, kind), first));
        expectOrder(chunks as [Buffer, Buffer], [left, right]);
        const names = [namesKey(leftName, rightName), namesKey(rightName, leftName)] as [Buffer, Buffer];
        expectOrder(names, [
          [leftName, rightName],
          [rightName, leftName],
        ]);
      }),
    );
  });

  it('decode to their parts', () => {
    fc.assert(
      fc.property(name, name, blockNum, sequence, (first, second, kind, at) => {
        expect([nameInKey(namesKey(first, second), 0), nameInKey(namesKey(first, second), 8)]).toEqual([first, second]);
        expect(namesInKindKey(kindKey({ account: first, name: second }))).toEqual({ account: first, name: second });
        expect(readSequence(chunkKey(listPrefix(first, kind), at), LIST_PREFIX_BYTES)).toBe(at);
        expect(readSequence(transactionKey(Buffer.alloc(32, 7), at), 8)).toBe(at);
      }),
    );
    expect(readSequence(sequenceKey(MAX_SEQUENCE), 0)).toBe(MAX_SEQUENCE);
  });

  it('distinguish any contract and any name from the empty name', () => {
    const keys = [
      { account: 'a' },
      { account: 'a', name: '' },
      { name: '' },
      { account: '', name: '' },
      { account: '' },
    ];
    expect(new Set(keys.map((key) => kindKey(key).toString('hex'))).size).toBe(keys.length);
  });
});
