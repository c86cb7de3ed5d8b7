import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@antelope-history/test-support/random';
import type { ClientFigures } from './figures';

/** The state that each client of a run has. */
export interface LoadContext {
  host: string;
  port: number;
  random: Random;
  /** End of the run, in the time of `performance.now()`. */
  endsAt: number;
  figures: ClientFigures;
  /** Source address of the client; undefined where the loopback interface has one address only. */
  localAddress: string | undefined;
}

export function isOver({ endsAt }: LoadContext): boolean {
  return performance.now() >= endsAt;
}

/** Waits, at most until the end of the run. */
export async function pause({ endsAt }: LoadContext, ms: number): Promise<void> {
  await sleep(Math.max(0, Math.min(ms, endsAt - performance.now())));
}

/** A connection on which a client writes raw bytes. Its responses are counted by their status lines. */
export class RawConnection {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  responses = 0;
  private isClosed = false;
  private readonly openedAt = performance.now();

  constructor(private readonly context: LoadContext) {
    const { host, port, localAddress, figures } = context;
    figures.connections++;
    this.socket = connect({ host, port, noDelay: true, ...(localAddress === undefined ? {} : { localAddress }) });
    this.socket.on('data', (chunk: Buffer) => this.count(chunk));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        this.isClosed = true;
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return !this.isClosed && this.socket.writable;
  }

  /** Writes, and waits until the socket's buffer is drained or the connection is closed. */
  async write(bytes: string | Buffer): Promise<void> {
    if (!this.isOpen) return;
    if (this.socket.write(bytes)) return;
    await Promise.race([
      new Promise((resolve) => this.socket.once('drain', resolve)),
      this.closed,
      pause(this.context, 5_000),
    ]);
  }

  /** Waits until the gateway closes the connection, at most `limitMs`, and then destroys it. */
  async leave(limitMs: number): Promise<void> {
    await Promise.race([this.closed, pause(this.context, limitMs)]);
    this.socket.destroy();
    await this.closed;
  }

  private count(chunk: Buffer): void {
    for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 ([2-5][0-9][0-9]) /g)) {
      const { figures } = this.context;
      figures.addStatus(status);
      if (status === '503' || status === '429') figures.refused++;
      if (this.responses++ === 0) figures.addTime(performance.now() - this.openedAt);
    }
  }
}

export function formatRequest(path: string, body: string, headers = ''): string {
  return `POST ${path} HTTP/1.1\r\nhost: load\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
}
