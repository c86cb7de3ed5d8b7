import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What a proxy does with a connection's bytes. */
export type Fault = 'none' | 'stalled' | { delayMs: number };

/** Stands between a client and a server, and is the network between them. */
export class FaultyProxy {
  fault: Fault = 'none';
  /** In both directions. */
  passedBytes = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
    private readonly host: string,
  ) {
    server.on('connection', (client) => this.pass(client));
  }

  static async start(target: number, host = '127.0.0.1'): Promise<FaultyProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyProxy(server, target, host);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How many sockets there are, of clients and of the server. */
  get open(): number {
    return this.sockets.size;
  }

  /** Ends all connections in the middle of whatever they say. */
  cut(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(client: Socket): void {
    const upstream = connect(this.target, this.host);
    this.relay(client, upstream, () => upstream.destroy());
    // While the network is silent the client does not hear either that the server has given it up.
    this.relay(upstream, client, () => void this.passing(client).then(() => client.destroy()));
  }

  /** One chunk after the other, whatever each has to wait for. */
  private relay(from: Socket, to: Socket, onClose: () => void): void {
    this.sockets.add(from);
    let passing = Promise.resolve();
    from.on('data', (chunk) => {
      // It is read on: who does not read does not see either that the other end closes.
      passing = passing
        .then(() => this.passing(from))
        .then(() => {
          this.passedBytes += chunk.length;
          if (!to.destroyed) to.write(chunk);
        });
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      void passing.then(onClose);
    });
  }

  /** Resolves when bytes may go on. */
  private async passing(from: Socket): Promise<void> {
    while (this.fault === 'stalled' && !from.destroyed) await wait(20);
    if (typeof this.fault === 'object') await wait(this.fault.delayMs);
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
