import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/**
 * A TCP proxy in front of a server, which lets a run cut, freeze and refuse connections without touching the server itself:
 * what its client sees is a server that is killed, suspended or unreachable.
 */
export class SocketProxy {
  private readonly server: Server;
  private readonly pairs = new Set<[Socket, Socket]>();
  private isFrozen = false;
  private isRefusing = false;
  /** Bytes from the server until the connection is cut. */
  private cutAfterBytes = Infinity;

  constructor(private readonly target: { host: string; port: number }) {
    this.server = createServer((client) => this.accept(client));
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this.port;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.pairs.size;
  }

  /** Cuts the connections after so many further bytes of the server, in the middle of a message if need be. */
  cutAfter(bytes: number): void {
    this.cutAfterBytes = bytes;
    if (bytes === 0) this.cutNow();
  }

  cutNow(): void {
    this.cutAfterBytes = Infinity;
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
    this.pairs.clear();
  }

  /** Nothing passes in either direction; connections stay open and new ones are accepted. */
  freeze(): void {
    this.isFrozen = true;
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  thaw(): void {
    this.isFrozen = false;
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
  }

  /** Cuts all connections, and closes each new one at once, until `admit`. */
  refuse(): void {
    this.isRefusing = true;
    this.cutNow();
  }

  admit(): void {
    this.isRefusing = false;
  }

  async close(): Promise<void> {
    this.cutNow();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(client: Socket): void {
    if (this.isRefusing) {
      client.destroy();
      return;
    }
    const server = connect(this.target);
    const pair: [Socket, Socket] = [client, server];
    this.pairs.add(pair);
    client.on('data', (data) => server.write(data));
    server.on('data', (data) => this.forward(data, client));
    for (const [from, to] of [pair, [server, client]] as const) {
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('end', () => to.end());
      from.on('close', () => {
        this.pairs.delete(pair);
        to.destroy();
      });
    }
    if (this.isFrozen) for (const socket of pair) socket.pause();
  }

  private forward(data: Buffer, client: Socket): void {
    if (data.length < this.cutAfterBytes) {
      this.cutAfterBytes -= data.length;
      client.write(data);
      return;
    }
    client.write(data.subarray(0, this.cutAfterBytes), () => this.cutNow());
    this.cutAfterBytes = Infinity;
  }
}
