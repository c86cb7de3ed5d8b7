import type { IncomingMessage } from 'node:http';
import { ClientAddresses, clientKeyOf, parseAddress } from './client-address';

function requestFrom(remoteAddress: string, forwarded?: string): IncomingMessage {
  return { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } as unknown as IncomingMessage;
}

describe('the address of a client', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3'],
    [' 10.1.2.3:4711 ', '10.1.2.3'],
    ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
    ['[2001:db8::1]:443', '2001:db8:0:0:0:0:0:1'],
    ['[2001:db8::1]', '2001:db8:0:0:0:0:0:1'],
    ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::ffff:0a01:0203', '10.1.2.3'],
    ['::', '0:0:0:0:0:0:0:0'],
    ['unknown', undefined],
    ['10.1.2.3:port', undefined],
    ['10.1.2.300:1', undefined],
    ['_hidden', undefined],
    ['', undefined],
    ['[x]:1', undefined],
  ])('is read from %j', (text, address) => {
    expect(parseAddress(text)).toBe(address);
  });

  it('is that of the connection unless a trusted proxy names another', () => {
    const addresses = new ClientAddresses(['10.0.0.0/8', '::1', '::ffff:192.168.0.0/112']);
    const of = (remote: string, forwarded?: string) => addresses.of(requestFrom(remote, forwarded));
    expect(of('9.9.9.9', '1.1.1.1')).toBe('9.9.9.9');
    expect(of('10.0.0.1')).toBe('10.0.0.1');
    expect(of('10.0.0.1', '1.1.1.1')).toBe('1.1.1.1');
    expect(of('::ffff:10.0.0.1', '1.1.1.1, 2.2.2.2')).toBe('2.2.2.2');
    expect(of('::1', '1.1.1.1, 2.2.2.2, 10.0.0.9:80,192.168.3.4')).toBe('2.2.2.2');
    expect(of('::1', '10.0.0.7')).toBe('10.0.0.7');
  });

  it('does not depend on a port in the header, and is that of the connection where an entry is no address', () => {
    const addresses = new ClientAddresses(['10.0.0.1']);
    for (const port of [1, 2, 65535]) {
      expect(addresses.of(requestFrom('10.0.0.1', `1.1.1.1:${port}`))).toBe('1.1.1.1');
      expect(addresses.of(requestFrom('10.0.0.1', `garbage ${port}`))).toBe('10.0.0.1');
      expect(addresses.of(requestFrom('10.0.0.1', `3.3.3.3, , x${port}`))).toBe('10.0.0.1');
    }
  });

  it('has one key per IPv6 /64', () => {
    expect(clientKeyOf('10.1.2.3')).toBe('10.1.2.3');
    expect(clientKeyOf('2001:db8:0:0:0:0:0:1')).toBe('2001:db8:0:0::/64');
    expect(clientKeyOf('2001:db8::ffff:1')).toBe(clientKeyOf('2001:db8:0:0:9::'));
    expect(clientKeyOf('2001:db8:0:1::')).not.toBe(clientKeyOf('2001:db8::'));
  });
});
