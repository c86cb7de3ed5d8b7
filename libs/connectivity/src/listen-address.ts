/** The loopback addresses by the wildcard addresses that include them. */
const LOOPBACK = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** Whether a server that listens on the address listens on all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return LOOPBACK.has(host);
}

/** Host and port, as a URL has them, of a server for clients on its own machine: they reach a wildcard address by the loopback interface. */
export function localAddressOf(host: string, port: number): string {
  return hostAndPort(LOOPBACK.get(host) ?? host, port);
}

/** Host and port as a URL has them, with brackets around an IPv6 address. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
