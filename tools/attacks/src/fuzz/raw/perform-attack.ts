import { connect, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { bytesOf, type RawAttack } from './raw-attack';
import { readResponses } from './response-stream';

const CLOSE_LIMIT_MS = 15_000;
/** What did not come while nothing came for so long is not waited for. */
const QUIET_MS = 30;

/**
 * Does what an attack says on one connection, waits for so many responses, and ends it; gives what came back, undefined
 * when the gateway never closed.
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
  /** When something came last. */
  private heardAt = performance.now();

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (part: Buffer) => {
      this.received.push(part);
      this.heardAt = performance.now();
    });
    // The gateway may close before all is sent.
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

  /** Node's server drops what it has not sent yet when its client ends the sending. */
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
