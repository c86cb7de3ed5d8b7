import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy of a real server that can be paused: its clients see what they see of a server that got SIGSTOP. Connections are
 * accepted and stay open, nothing is answered, and what was sent meanwhile is executed when it goes on, also if the sender is gone.
 */
export class PausableServer {
  private readonly held: (() => void)[] = [];
  private readonly sockets = new Set<Socket>();
  private isPaused = false;
  private isReached: (request: string) => boolean = () => false;

  private constructor(
    private readonly target: URL,
    private readonly server: Server,
  ) {
    server.on('connection', (client) => this.accept(client));
  }

  static async start(targetUrl: string): Promise<PausableServer> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PausableServer(new URL(targetUrl), server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Pauses at the request of this number (from 1) of those with `text`, before the server gets it; resolves when it has arrived. */
  pauseAt(text: string, number = 1): Promise<void> {
    let seen = 0;
    return new Promise((resolve) => {
      this.isReached = (request) => {
        if (!request.includes(text) || ++seen < number) return false;
        resolve();
        return true;
      };
    });
  }

  /** Executes what was sent meanwhile. */
  resume(): void {
    this.isPaused = false;
    this.isReached = () => false;
    for (const pass of this.held.splice(0)) pass();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(client: Socket): void {
    const server = connect({ host: this.target.hostname, port: Number(this.target.port), allowHalfOpen: true });
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    }
    client.on('data', (data) => {
      this.isPaused ||= this.isReached(data.toString('latin1'));
      this.pass(() => server.write(data));
    });
    client.on('end', () => this.pass(() => server.end()));
    server.on('data', (data) => this.pass(() => client.write(data)));
    server.on('end', () => this.pass(() => client.end()));
  }

  private pass(bytes: () => void): void {
    if (this.isPaused) this.held.push(bytes);
    else bytes();
  }
}
