import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** One client usually holds a whole /64 of IPv6 addresses. */
const CLIENT_GROUPS = 4;

/** Who sends a request, where trusted proxies say so in `X-Forwarded-For`. */
export class ClientAddresses {
  private readonly trusted = new BlockList();
  private readonly hasProxies: boolean;

  /** `trustedProxies`: addresses and ranges. */
  constructor(trustedProxies: readonly string[]) {
    this.hasProxies = trustedProxies.length > 0;
    for (const proxy of trustedProxies) this.trust(proxy);
  }

  isTrusted(address: string): boolean {
    if (!this.hasProxies) return false;
    return isIPv4(address)
      ? this.trusted.check(address, 'ipv4')
      : isIPv6(address) && this.trusted.check(address, 'ipv6');
  }

  /** The address before the nearest trusted proxies. What is no address ends the list: nobody knows who wrote it. */
  of(request: IncomingMessage): string {
    let address = addressOf(request.socket.remoteAddress);
    if (!this.isTrusted(address)) return address;
    const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
    while (forwarded.length > 0 && this.isTrusted(address)) {
      const next = parseAddress(forwarded.pop() ?? '');
      if (next === undefined) break;
      address = next;
    }
    return address;
  }

  private trust(proxy: string): void {
    const [network = '', bits] = proxy.split('/');
    const address = parseAddress(network) ?? network;
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    // `::ffff:10.0.0.0/104` is 10.0.0.0/8.
    const isMapped = isIPv6(network) && family === 'ipv4';
    if (bits === undefined) this.trusted.addAddress(address, family);
    else this.trusted.addSubnet(address, isMapped ? Math.max(0, Number(bits) - 96) : Number(bits), family);
  }
}

/** What limits count by: an IPv4 address, or the first half of an IPv6 address. */
export function clientKeyOf(address: string): string {
  return isIPv6(address) ? `${groupsOf(address).slice(0, CLIENT_GROUPS).join(':')}::/64` : address;
}

/** The address of the other end of a connection; a connection that is closed has none. */
export function addressOf(remoteAddress: string | undefined): string {
  return parseAddress(remoteAddress ?? '') ?? 'unknown';
}

/** An address as proxies write it: with or without a port, brackets or a zone. IPv4 in IPv6 becomes IPv4. */
export function parseAddress(text: string): string | undefined {
  const plain = text.trim();
  if (isIPv4(plain)) return plain;
  const [, ipv4] = /^([\d.]+):\d{1,5}$/.exec(plain) ?? [];
  if (ipv4 !== undefined) return isIPv4(ipv4) ? ipv4 : undefined;
  const [, bracketed] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(plain) ?? [];
  const [ipv6 = ''] = (bracketed ?? plain).split('%');
  return isIPv6(ipv6) ? withoutMapping(ipv6) : undefined;
}

function withoutMapping(ipv6: string): string {
  const groups = groupsOf(ipv6);
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return groups.join(':');
  return groups
    .slice(6)
    .map((group) => parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 0xff])
    .join('.');
}

/** The eight groups of an IPv6 address, in lower case without leading zeros. */
function groupsOf(ipv6: string): string[] {
  // The URL standard writes an address in one way only.
  const [head = '', tail] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = 8 - (before?.length ?? 0) - (after?.length ?? 0);
  return [...(before ?? []), ...Array.from({ length: zeros }, () => '0'), ...(after ?? [])];
}
