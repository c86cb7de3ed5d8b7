import { linkTo, parseView } from './location.js';

describe('the address of a view', () => {
  it.each([
    ['', '', {}],
    ['status', '', {}],
    ['account', 'alice', { filter: 'eosio.token:transfer', after: '2026-01-01' }],
    ['search', 'a/b?c#d%&=é', {}],
  ])('is read as it was written: %s %s', (name, subject, parameters) => {
    expect(parseView(linkTo(name, subject, parameters))).toEqual({ name, subject, parameters });
  });

  it('has no parameters without a value', () => {
    expect(linkTo('account', 'alice', { pos: undefined, sort: '' })).toBe('#/account/alice');
  });

  it('may be typed by hand', () => {
    expect(parseView('#account/100%')).toEqual({ name: 'account', subject: '100%', parameters: {} });
    expect(parseView('#/block/12?')).toEqual({ name: 'block', subject: '12', parameters: {} });
  });
});
