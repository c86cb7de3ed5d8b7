import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';

/** A network namespace, joined to this machine's network by one veth pair. Nothing else is reachable from it. */
export class NetworkNamespace {
  private readonly forwarders: Server[] = [];

  private constructor(
    readonly name: string,
    /** Addresses of the two ends of the veth pair: in this machine's network, and in the namespace. */
    private readonly here: string,
    readonly address: string,
  ) {}

  /** Undefined where the system does not allow one: `ip netns` needs root on Linux. `index`: 1 to 250, unique per process. */
  static create(index: number): NetworkNamespace | undefined {
    const name = `history-${process.pid}-${index}`;
    const subnet = `10.${(process.pid % 200) + 20}.${index}`;
    const namespace = new NetworkNamespace(name, `${subnet}.1`, `${subnet}.2`);
    const device = `hst${process.pid % 100_000}x${index}`;
    try {
      ip('netns', 'add', name);
    } catch {
      return undefined;
    }
    try {
      ip('link', 'add', device, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
      ip('addr', 'add', `${namespace.here}/24`, 'dev', device);
      ip('link', 'set', device, 'up');
      ip('-n', name, 'addr', 'add', `${namespace.address}/24`, 'dev', 'eth0');
      for (const end of ['eth0', 'lo']) ip('-n', name, 'link', 'set', end, 'up');
      return namespace;
    } catch {
      namespace.remove();
      return undefined;
    }
  }

  /** Prefix of a command that runs in the namespace. */
  get command(): string[] {
    return ['ip', 'netns', 'exec', this.name];
  }

  /** Makes a server of this machine reachable from the namespace; returns its URL there. */
  async reach(url: string): Promise<string> {
    const there = new URL(url);
    const { hostname, port } = there;
    const server = createServer((incoming) => {
      const outgoing = connect(Number(port), hostname);
      incoming.pipe(outgoing).pipe(incoming);
      for (const [one, other] of [[incoming, outgoing] as const, [outgoing, incoming] as const]) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    });
    this.forwarders.push(server);
    server.listen(0, this.here);
    await once(server, 'listening');
    there.hostname = this.here;
    there.port = String((server.address() as AddressInfo).port);
    return there.href.replace(/\/$/, '');
  }

  /** Removes the namespace, and its veth pair with it. */
  remove(): void {
    for (const forwarder of this.forwarders) forwarder.close();
    ip('netns', 'del', this.name);
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' });
}
