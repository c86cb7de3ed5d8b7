import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Channel, type ChannelModel, type ConfirmChannel } from 'amqplib';
import type { QueueBounds } from '@antelope-history/broker';
import { HistoryError } from '@antelope-history/schemas';
import { LiveChannel } from './live-channel';
import { deadLetterArguments, queueArguments } from './queue-arguments';
import { toConnectError, toDeclareError, unavailable } from './rabbitmq-errors';
import type { RabbitmqOptions } from './rabbitmq-options';

const CONNECT_LIMIT_MS = 15_000;
const CLOSE_LIMIT_MS = 2_000;
const HEARTBEAT_SECONDS = 10;

/** One connection to the server, until it ends. */
export class ServerConnection {
  /** Resolves with the reason. */
  readonly ended: Promise<Error>;
  private readonly declared = new Map<string, Promise<void>>();

  private constructor(
    private readonly model: ChannelModel,
    private readonly socket: AbortController,
    private readonly options: RabbitmqOptions,
  ) {
    let reason: Error | undefined;
    model.on('error', (error) => (reason = error));
    this.ended = new Promise((resolve) => {
      model.on('close', (error) => {
        // The client only says goodbye, which a peer that is away does not hear: the socket would stay.
        socket.abort();
        resolve(reason ?? error ?? new Error('closed'));
      });
    });
  }

  /** `purpose` stands in the connection's name; `signal` ends the try. Rejects as `toConnectError` says. */
  static async open(options: RabbitmqOptions, purpose: string, signal: AbortSignal): Promise<ServerConnection> {
    const socket = new AbortController();
    const giveUp = (): void => socket.abort();
    const limit = setTimeout(giveUp, CONNECT_LIMIT_MS);
    signal.addEventListener('abort', giveUp);
    try {
      const model = await connect(addressOf(options), socketOptions(options, purpose, socket.signal));
      return new ServerConnection(model, socket, options);
    } catch (error) {
      throw socket.signal.aborted ? unavailable('no_answer', options) : toConnectError(error, options);
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** The server stops taking messages while it is short of memory or disk, and goes on by itself. */
  onBlocked(tell: () => void): void {
    this.model.on('blocked', tell);
  }

  async openChannel(): Promise<LiveChannel> {
    return new LiveChannel<Channel>(await this.model.createChannel());
  }

  async openConfirmChannel(): Promise<LiveChannel<ConfirmChannel>> {
    return new LiveChannel(await this.model.createConfirmChannel());
  }

  /** Makes a queue and that of its dead letters, once for each connection. Rejects as `toDeclareError` says. */
  declare(queue: QueueBounds): Promise<void> {
    let declared = this.declared.get(queue.name);
    if (!declared) {
      declared = this.declareNow(queue);
      this.declared.set(queue.name, declared);
      declared.catch(() => this.forget(queue));
    }
    return declared;
  }

  /** How many messages are ready to be delivered. */
  async countWaiting(queue: QueueBounds): Promise<{ waiting: number; deadLetters: number }> {
    await this.declare(queue);
    const live = await this.openChannel();
    try {
      const { messageCount: waiting } = await live.channel.checkQueue(queue.name);
      const { messageCount: deadLetters } = await live.channel.checkQueue(queue.deadLetter);
      return { waiting, deadLetters };
    } catch (error) {
      this.forget(queue);
      throw error;
    } finally {
      await live.close();
    }
  }

  /** A queue that somebody has deleted is made again. */
  forget({ name }: QueueBounds): void {
    this.declared.delete(name);
  }

  /** Says goodbye, but not for long. */
  async close(): Promise<void> {
    const goodbye = this.model.close().catch(() => undefined);
    await Promise.race([goodbye, this.ended, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
    this.socket.abort();
  }

  private async declareNow(queue: QueueBounds): Promise<void> {
    const live = await this.openChannel();
    const assert = (name: string, args: Record<string, unknown>): Promise<unknown> =>
      live.channel.assertQueue(name, { durable: true, arguments: args }).catch((error: unknown) => {
        throw toDeclareError(error, name, this.options);
      });
    try {
      await assert(queue.deadLetter, deadLetterArguments(queue));
      await assert(queue.name, queueArguments(queue));
    } finally {
      await live.close();
    }
  }
}

function addressOf({ url, vhost, username, password = '', heartbeatSeconds }: RabbitmqOptions) {
  const { protocol, hostname, port } = new URL(url);
  return {
    protocol: protocol.slice(0, -1),
    hostname: hostname.replace(/^\[|\]$/g, ''),
    ...(port !== '' && { port: Number(port) }),
    // The client takes it as it stands in a URL.
    vhost: encodeURIComponent(vhost),
    username,
    password,
    heartbeat: heartbeatSeconds ?? HEARTBEAT_SECONDS,
  };
}

function socketOptions({ caFile, connectionName }: RabbitmqOptions, purpose: string, signal: AbortSignal) {
  return {
    noDelay: true,
    clientProperties: { connection_name: `${connectionName ?? 'antelope-history'}: ${purpose}` },
    ...(caFile !== undefined && { ca: readCertificates(caFile) }),
    // The only hold on the socket that the client leaves us.
    signal,
  };
}

function readCertificates(caFile: string): Buffer {
  try {
    return readFileSync(caFile);
  } catch (cause) {
    throw new HistoryError('CONFIG_INVALID', `broker.rabbitmq.ca_file: ${caFile} can not be read`, { cause });
  }
}
