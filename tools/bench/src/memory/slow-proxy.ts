import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP proxy before a server, which can pass a limited number of bytes per second to it, or be away. */
export class SlowProxy {
  /** Of all connections together, towards the server. */
  bytesPerSecond = Infinity;
  /** All bytes that clients sent to the server. */
  passedBytes = 0;
  private isAway = false;
  private readonly sockets = new Set<Socket>();
  /** When the bytes that were passed last are used up, in milliseconds since 1970. */
  private busyUntilMs = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (client) => this.pass(client));
  }

  static async start(target: string): Promise<SlowProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SlowProxy(server, new URL(target));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends all connections and refuses new ones, or accepts them again. */
  setAway(isAway: boolean): void {
    this.isAway = isAway;
    if (isAway) for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.setAway(true);
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(client: Socket): void {
    client.on('error', () => undefined);
    if (this.isAway) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(this.target.port), this.target.hostname);
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.pipe(client);
    void this.passSlowly(client, upstream);
  }

  private async passSlowly(client: Socket, upstream: Socket): Promise<void> {
    try {
      for await (const chunk of client as AsyncIterable<Buffer>) {
        this.passedBytes += chunk.length;
        const now = Date.now();
        this.busyUntilMs = Math.max(now, this.busyUntilMs) + (chunk.length / this.bytesPerSecond) * 1_000;
        if (this.busyUntilMs > now) await sleep(this.busyUntilMs - now);
        if (!upstream.write(chunk)) await once(upstream, 'drain');
      }
      upstream.end();
    } catch {
      // One of the two sides has ended.
      upstream.destroy();
    }
  }
}
