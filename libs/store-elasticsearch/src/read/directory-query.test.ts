import { WHOLE_CHAIN } from '../indices/directory';
import { directoryKeyOf } from './directory-query';

describe('the key of a list in the directory', () => {
  const ping = { account: 'busy', name: 'ping' };

  it('is the account, and counts the list unless there are conditions that it does not count', () => {
    expect(directoryKeyOf('alice', [ping], false)).toEqual({ accounts: ['alice'], filters: [ping], isExact: true });
    expect(directoryKeyOf('alice', [], true).isExact).toBe(false);
  });

  it('is the contracts of the filters if every filter has one, and they are few', () => {
    const filters = [ping, { account: 'rare' }, { account: 'busy', name: 'pong' }];
    expect(directoryKeyOf(undefined, filters, false)).toEqual({ accounts: ['busy', 'rare'], filters, isExact: true });
    const many = Array.from({ length: 9 }, (_, index) => ({ account: `c${index}` }));
    expect(directoryKeyOf(undefined, many, false)).toEqual({ accounts: [WHOLE_CHAIN], filters: [], isExact: false });
  });

  it('is the whole chain otherwise', () => {
    expect(directoryKeyOf(undefined, [], false)).toEqual({ accounts: [WHOLE_CHAIN], filters: [], isExact: true });
    expect(directoryKeyOf(undefined, [ping, { name: 'pong' }], false).isExact).toBe(false);
  });
});
