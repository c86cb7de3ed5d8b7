import type { PermissionChange } from './block-records';
import { isStateComplete } from './state-completeness';

const authority = { keys: [], actors: [] };
const of = (...owners: string[]): PermissionChange[] => owners.map((owner) => ({ owner, name: 'owner', authority }));
const having = (permissionChanges: PermissionChange[]) => ({ permissionChanges });
const WHOLE = of('eosio', 'eosio.null', 'eosio.prods', 'alice');

describe('isStateComplete', () => {
  it('from the genesis, a snapshot, and the second message of EOSIO 2.0 on', () => {
    expect(isStateComplete(having(WHOLE))).toBe(true);
    expect(isStateComplete(having(WHOLE), false)).toBe(true);
    expect(isStateComplete(having([]), true)).toBe(true);
  });

  it('not from the middle of a chain, nor from a block 1 without state, whatever changes there', () => {
    expect(isStateComplete(having([]))).toBe(false);
    expect(isStateComplete(having(of('eosio', 'alice')))).toBe(false);
    expect(isStateComplete(having(of('alice')), false)).toBe(false);
    expect(
      isStateComplete(having([{ owner: 'eosio.null', name: 'owner', authority: undefined }, ...of('eosio')])),
    ).toBe(false);
  });
});
