/** What the server wrote into the page: `PageSettings` of libs/gateway-proxy. */
export interface Settings {
  chain?: string;
  status: boolean;
  explorer: boolean;
  links: string[];
  api: 'same origin' | { url: string } | { port: number; path: string };
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
  return `${at.protocol}//${at.hostname}:${api.port}${api.path}`;
}

/** The address of the list of chains, relative to the page; undefined where the page is not below the name of its chain. */
export function chainListOf({ chain }: Settings, at: URL | Location): string | undefined {
  return chain !== undefined && at.pathname.endsWith(`/${chain}/`) ? '../' : undefined;
}
