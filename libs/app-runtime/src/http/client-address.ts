import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Providers assign at least a /64 to each IPv6 client, which is four groups of the address. */
const CLIENT_GROUPS = 4;

/** Finds the client address of a request; trusted proxies give it in `X-Forwarded-For`. */
export class ClientAddresses {
  private readonly trusted = new BlockList();
  private readonly hasProxies: boolean;

  /** `trustedProxies`: addresses and ranges in CIDR notation. */
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

  /** Whether the other end of the connection is a trusted proxy. */
  isFromProxy(request: IncomingMessage): boolean {
    return this.hasProxies && this.isTrusted(addressOf(request.socket.remoteAddress));
  }

  /**
   * The nearest address that is no trusted proxy. An entry that is not an address ends the search, because an untrusted client
   * can have written it.
   */
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

/** The key by which limits count: an IPv4 address, or the /64 of an IPv6 address. */
export function clientKeyOf(address: string): string {
  return isIPv6(address) ? `${groupsOf(address).slice(0, CLIENT_GROUPS).join(':')}::/64` : address;
}

/** The peer address of a connection; `unknown` for a closed connection, which has none. */
export function addressOf(remoteAddress: string | undefined): string {
  return parseAddress(remoteAddress ?? '') ?? 'unknown';
}

/** Parses an address as proxies write it: with or without a port, brackets or a zone. An IPv4-mapped IPv6 address becomes IPv4. */
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
  // The URL standard defines one serialization per address.
  const [head = '', tail] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = 8 - (before?.length ?? 0) - (after?.length ?? 0);
  return [...(before ?? []), ...Array.from({ length: zeros }, () => '0'), ...(after ?? [])];
}
