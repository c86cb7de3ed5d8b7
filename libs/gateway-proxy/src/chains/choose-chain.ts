/** The chain of a request, and the address of the request within the chain. */
export interface ChosenChain {
  name: string;
  url: string;
}

const FIRST_SEGMENT = /^\/([a-z0-9][a-z0-9-]{0,31})(?=[/?#]|$)/;

/** Chooses the chain of a request: by its host name, else by the first segment of its path, which is removed. */
export class ChainChooser {
  private readonly byHost: ReadonlyMap<string, string>;

  constructor(private readonly chains: Readonly<Record<string, { hosts: readonly string[] }>>) {
    const named = Object.entries(chains).flatMap(([name, { hosts }]) => hosts.map((host) => [host, name] as const));
    this.byHost = new Map(named);
  }

  /**
   * @param host the header `Host`
   * @param target the request target: a path with a query, or a whole URL, whose host then counts (RFC 9112, 3.2.2)
   * @returns undefined when the request belongs to no chain
   */
  choose(host: string | undefined, target: string): ChosenChain | undefined {
    const whole = !target.startsWith('/') && URL.canParse(target) ? new URL(target) : undefined;
    const url = whole ? whole.pathname + whole.search : target;
    const byHost = this.byHost.get(hostNameOf(whole?.host ?? host ?? ''));
    if (byHost !== undefined) return { name: byHost, url };
    const [prefix = '', name = ''] = FIRST_SEGMENT.exec(url) ?? [];
    if (!Object.hasOwn(this.chains, name)) return undefined;
    const rest = url.slice(prefix.length);
    return { name, url: rest.startsWith('/') ? rest : `/${rest}` };
  }
}

/** Without the port, and without the dot that may end a full name. */
function hostNameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}
