import type { AbiDecoder } from '@antelope-history/abi';
import type { ActionRecord } from '@antelope-history/records';
import type { AbiRequest } from '@antelope-history/store';
import fc from 'fast-check';
import { createAbiDecoders } from './abi-decoders';
import { AbiRequestSet } from './abi-request-set';

const decoderOf = (label: string): AbiDecoder => ({
  decodeAction: () => label,
  writeAction: () => false,
  decodeActionResult: () => label,
  decode: () => label,
});

const labelAt = (decoder: AbiDecoder | undefined): unknown => decoder?.decode('', Buffer.alloc(0));

/** An action with the fields that ABI requests read. */
function actionOf(account: string, name: string, globalSequence: number, abiSequence: number): ActionRecord {
  const traces = [{ receipt: { globalSequence, abiSequence } }];
  return { account, name, traces } as unknown as ActionRecord;
}

describe('createAbiDecoders', () => {
  it('returns the decoder of the last requested position up to the given one', () => {
    const requests: AbiRequest[] = [
      { account: 'a', blockNum: 7, sequence: 70 },
      { account: 'a', blockNum: 5, sequence: 50 },
      { account: 'b', blockNum: 5, sequence: 51 },
    ];
    const decoders = createAbiDecoders(requests, [decoderOf('late'), decoderOf('early'), undefined]);
    expect(labelAt(decoders.at('a', 5, 49))).toBeUndefined();
    expect(labelAt(decoders.at('a', 5, 50))).toBe('early');
    expect(labelAt(decoders.at('a', 6, 69))).toBe('early');
    expect(labelAt(decoders.at('a', 7, 70))).toBe('late');
    expect(labelAt(decoders.at('b', 5, 51))).toBeUndefined();
    expect(labelAt(decoders.at('c', 5, 51))).toBeUndefined();
  });
});

describe('AbiRequestSet', () => {
  it('requests a position once', () => {
    const requests = new AbiRequestSet();
    const place = { account: 'a', blockNum: 1, sequence: 9 };
    requests.addPosition(place);
    requests.addPosition({ ...place });
    requests.addPosition({ ...place, account: 'b' });
    expect(requests.list()).toEqual([place, { ...place, account: 'b' }]);
  });

  it('requests once per ABI that the receipts count, for any order of the page', () => {
    const requests = new AbiRequestSet();
    for (const sequence of [30, 20, 10]) requests.addAction(actionOf('a', 'run', sequence, sequence < 20 ? 1 : 2), 4);
    expect(requests.list()).toEqual([
      { account: 'a', blockNum: 4, sequence: 20 },
      { account: 'a', blockNum: 4, sequence: 10 },
    ]);
  });

  /**
   * A chain of actions of `eosio` and `token`, some of which are setabi of either: for any page of them, the ABI
   * of a shared request must be the one that a request for the action alone would find.
   */
  it('finds the same decoder for every action as a separate request', () => {
    const step = fc.record({
      kind: fc.constantFrom('run', 'setabi of eosio', 'setabi of token'),
      account: fc.constantFrom('eosio', 'token'),
      shown: fc.boolean(),
      sameBlock: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), fc.boolean(), (steps, newestFirst) => {
        const counts = new Map([
          ['eosio', 0],
          ['token', 0],
        ]);
        let blockNum = 1;
        const shown: { action: ActionRecord; blockNum: number; expected: string }[] = [];
        const inForce = new Map<string, string>();
        steps.forEach(({ kind, account, shown: isShown, sameBlock }, index) => {
          const sequence = index + 1;
          if (!sameBlock) blockNum++;
          const contract = kind === 'run' ? account : 'eosio';
          const expected = `${contract}#${counts.get(contract)}`;
          const changed = kind === 'run' ? undefined : (kind.split(' ').at(-1) as string);
          if (changed) counts.set(changed, (counts.get(changed) ?? 0) + 1);
          const name = changed ? 'setabi' : 'run';
          inForce.set(`${contract}@${sequence}`, expected);
          const action = actionOf(contract, name, sequence, counts.get(contract) ?? 0);
          if (isShown) shown.push({ action, blockNum, expected });
        });
        if (newestFirst) shown.reverse();
        const requests = new AbiRequestSet();
        for (const { action, blockNum: at } of shown) requests.addAction(action, at);
        const found = requests.list().map((request) => {
          const label = inForce.get(`${request.account}@${request.sequence}`);
          return label === undefined ? undefined : decoderOf(label);
        });
        const decoders = createAbiDecoders(requests.list(), found);
        for (const { action, blockNum: at, expected } of shown) {
          const sequence = action.traces[0]?.receipt.globalSequence ?? 0;
          expect(labelAt(decoders.at(action.account, at, sequence))).toBe(expected);
        }
      }),
    );
  });
});
