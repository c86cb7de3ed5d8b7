/** What the server wrote into the page: `PageSettings` of libs/gateway-proxy. */
export interface Settings {
  chain?: string;
  status: boolean;
  explorer: boolean;
  links: string[];
  api: 'same origin' | { url: string } | { port: number; path: string; host?: string };
  /** The path of `get_actions` for this page. */
  actionsPath: string;
  version: string;
}

export function readSettings(body: HTMLElement): Settings {
  return JSON.parse(body.dataset['settings'] ?? '{}') as Settings;
}

/** The base URL of the API without a slash at its end; `at`: the address of the page. */
export function apiUrlOf({ api }: Settings, at: URL | Location): string {
  if (api === 'same origin') return `${at.origin}${at.pathname}`.replace(/\/[^/]*$/, '');
  if ('url' in api) return api.url.replace(/\/+$/, '');
  const { port, path, host } = api;
  const hostname = host !== undefined && isLoopback(at.hostname) ? bracketed(host) : at.hostname;
  return `${at.protocol}//${hostname}:${port}${path}`;
}

/** `hostname`: that of a URL, with brackets around an IPv6 address. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The address of the list of chains, relative to the page; undefined where the page is not below the name of its chain. */
export function chainListOf({ chain }: Settings, at: URL | Location): string | undefined {
  return chain !== undefined && at.pathname.endsWith(`/${chain}/`) ? '../' : undefined;
}
