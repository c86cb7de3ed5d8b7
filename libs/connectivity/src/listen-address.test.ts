import { hostAndPort, isWildcard, localAddressOf } from './listen-address';

describe('the address of a listener', () => {
  it.each([
    ['0.0.0.0', true, '127.0.0.1:80', '0.0.0.0:80'],
    ['::', true, '[::1]:80', '[::]:80'],
    ['::1', false, '[::1]:80', '[::1]:80'],
    ['10.0.0.1', false, '10.0.0.1:80', '10.0.0.1:80'],
    ['localhost', false, 'localhost:80', 'localhost:80'],
    ['constructor', false, 'constructor:80', 'constructor:80'],
  ])('is for clients of the same machine and for others: %s', (host, wildcard, local, written) => {
    expect([isWildcard(host), localAddressOf(host, 80), hostAndPort(host, 80)]).toEqual([wildcard, local, written]);
  });
});
