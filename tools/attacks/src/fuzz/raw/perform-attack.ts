import { connect, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { bytesOf, type RawAttack } from './raw-attack';
import { readResponses } from './response-stream';

const CLOSE_LIMIT_MS = 15_000;
/** The wait for responses ends when nothing arrives for this time. */
const QUIET_MS = 30;

/**
 * Performs an attack on one connection, waits for the given number of responses, and ends the connection. Resolves with the
 * received bytes, or undefined when the gateway never closed the connection.
 */
export async function performAttack(attack: RawAttack, responses: number, port: number): Promise<Buffer | undefined> {
  const connection = new Attacker(port);
  await connection.send(attack);
  if (attack.end === 'leave') connection.socket.destroy();
  else await connection.finish(responses);
  return connection.untilClosed();
}

class Attacker {
  readonly socket: Socket;
  private readonly received: Buffer[] = [];
  private readonly closed: Promise<'closed'>;
  private isClosed = false;
  /** Time of the last received bytes. */
  private heardAt = performance.now();

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk: Buffer) => {
      this.received.push(chunk);
      this.heardAt = performance.now();
    });
    // The gateway may close the connection before all bytes are sent.
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        this.isClosed = true;
        resolve('closed');
      });
    });
  }

  async send({ pieces, splits }: RawAttack): Promise<void> {
    const bytes = bytesOf({ pieces });
    let sent = 0;
    for (const { at, pauseMs } of [...splits, { at: bytes.length, pauseMs: 0 }]) {
      if (at > sent && this.socket.writable) this.socket.write(bytes.subarray(sent, at));
      sent = at;
      await (pauseMs > 0 ? sleep(pauseMs) : turn());
    }
    this.heardAt = performance.now();
  }

  /** Node.js drops unsent responses when the client half-closes the connection. */
  async finish(responses: number): Promise<void> {
    while (!this.isClosed && performance.now() - this.heardAt < QUIET_MS && this.countResponses() < responses) {
      await sleep(1);
    }
    if (this.socket.writable) this.socket.end();
  }

  async untilClosed(): Promise<Buffer | undefined> {
    const outcome = await Promise.race([this.closed, sleep(CLOSE_LIMIT_MS, 'open' as const, { ref: false })]);
    this.socket.destroy();
    return outcome === 'closed' ? Buffer.concat(this.received) : undefined;
  }

  private countResponses(): number {
    return readResponses(Buffer.concat(this.received), false).statuses.length;
  }
}
