import type { PermissionChange } from './block-records';
import { isStateComplete } from './whole-state';

const authority = { keys: [], actors: [] };
const of = (...owners: string[]): PermissionChange[] => owners.map((owner) => ({ owner, name: 'owner', authority }));
const at = (num: number, permissionChanges: PermissionChange[]) => ({ position: { num, id: '' }, permissionChanges });
const WHOLE = of('eosio', 'eosio.null', 'eosio.prods', 'alice');

describe('isStateComplete', () => {
  it('from the beginning of the chain, a snapshot, and the second message of EOSIO 2.0 on', () => {
    expect(isStateComplete(at(1, []))).toBe(true);
    expect(isStateComplete(at(40, WHOLE))).toBe(true);
    expect(isStateComplete(at(41, WHOLE), false)).toBe(true);
    expect(isStateComplete(at(42, []), true)).toBe(true);
  });

  it('not from the middle of a chain, whatever changes there', () => {
    expect(isStateComplete(at(40, []))).toBe(false);
    expect(isStateComplete(at(40, of('eosio', 'alice')))).toBe(false);
    expect(isStateComplete(at(41, of('alice')), false)).toBe(false);
    expect(
      isStateComplete(at(40, [{ owner: 'eosio.null', name: 'owner', authority: undefined }, ...of('eosio')])),
    ).toBe(false);
  });
});
