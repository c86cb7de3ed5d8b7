import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the proxy does to the bytes of its connections. */
export type Fault =
  | 'none'
  | 'stalled'
  | { delayMs: number }
  /** Every message is refused that the server confirms, until a client closes its channel; then it is `none`. */
  | 'refusing'
  /** Replies of one kind do not arrive, until a client connects anew; then it is `none`. */
  | LostReply;

type LostReply = keyof typeof LOST_REPLIES;

/** Frames of AMQP 0-9-1, from the size on: `basic.ack`, which has the same arguments as `basic.nack`. */
const ACK = Buffer.from([0, 0, 0, 13, 0, 60, 0, 80]);
const NACK_METHOD = 120;
/** The class and the method of a reply, whose frame begins 7 bytes before and has its size 4 bytes before. */
const LOST_REPLIES = {
  /** `basic.consume-ok`: no consumer learns that the server has registered it. */
  unregistered: Buffer.from([0, 60, 0, 21]),
  /** `basic.ack`: no publisher learns that the server has a message. */
  unconfirmed: Buffer.from([0, 60, 0, 80]),
  /** `queue.delete-ok`. */
  undeleted: Buffer.from([0, 50, 0, 41]),
};
/** The beginning of `channel.close`. */
const CHANNEL_CLOSE = Buffer.from([0, 20, 0, 40]);

/** A TCP proxy that simulates a faulty network between a client and a server. */
export class FaultyProxy {
  fault: Fault = 'none';
  /** Bytes passed in both directions. */
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

  /** The number of open sockets, to clients and to the server. */
  get open(): number {
    return this.sockets.size;
  }

  /** Resets all connections at once. */
  cut(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(client: Socket): void {
    if (isLostReply(this.fault)) this.fault = 'none';
    const upstream = connect(this.target, this.host);
    this.relay(
      client,
      upstream,
      (chunk) => chunk,
      () => upstream.destroy(),
    );
    // A stalled network does not pass on that the server has closed the connection either.
    this.relay(
      upstream,
      client,
      (chunk) => this.withoutLost(chunk),
      () => void this.passing(client).then(() => client.destroy()),
    );
  }

  /** Passes the chunks on in order. */
  private relay(from: Socket, to: Socket, alter: (chunk: Buffer) => Buffer, onClose: () => void): void {
    this.sockets.add(from);
    let passing = Promise.resolve();
    from.on('data', (chunk) => {
      // Reading continues during a fault, because a socket that is not read does not report its end.
      passing = passing
        .then(() => this.passing(from))
        .then(() => {
          this.passedBytes += chunk.length;
          if (this.fault === 'refusing') this.refuse(chunk);
          if (!to.destroyed) to.write(alter(chunk));
        });
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      void passing.then(onClose);
    });
  }

  /** A client's own acknowledgement of a delivery has the method of a confirm, and arrives. */
  private withoutLost(chunk: Buffer): Buffer {
    return isLostReply(this.fault) ? withoutReply(chunk, this.fault) : chunk;
  }

  /** Turns confirms into refusals. A frame is found when it is in one chunk, as those of single messages are. */
  private refuse(chunk: Buffer): void {
    if (chunk.includes(CHANNEL_CLOSE)) this.fault = 'none';
    for (let at = chunk.indexOf(ACK); at >= 0; at = chunk.indexOf(ACK, at + 1))
      chunk[at + ACK.length - 1] = NACK_METHOD;
  }

  /** Resolves when the fault lets bytes pass. */
  private async passing(from: Socket): Promise<void> {
    while (this.fault === 'stalled' && !from.destroyed) await sleep(20);
    if (typeof this.fault === 'object') await sleep(this.fault.delayMs);
  }
}

function isLostReply(fault: Fault): fault is LostReply {
  return typeof fault === 'string' && Object.hasOwn(LOST_REPLIES, fault);
}

/** A frame is found when it is in one chunk, as that of a single reply is. */
function withoutReply(chunk: Buffer, lost: LostReply): Buffer {
  const at = chunk.indexOf(LOST_REPLIES[lost]);
  if (at < 0) return chunk;
  const end = at + chunk.readUInt32BE(at - 4) + 1;
  return Buffer.concat([chunk.subarray(0, at - 7), chunk.subarray(end)]);
}
