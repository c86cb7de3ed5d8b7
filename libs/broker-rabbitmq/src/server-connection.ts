import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Channel, type ChannelModel, type ConfirmChannel } from 'amqplib';
import type { QueueBounds } from '@antelope-history/broker';
import { hostOf } from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';
import { PendingReplies } from './pending-replies';
import { declarationsOf, type QueueType } from './queue-arguments';
import { toConnectError, toDeclareError, unavailable } from './rabbitmq-errors';
import type { RabbitmqOptions } from './rabbitmq-options';
import { type ReplyLimit, ServerChannel } from './server-channel';

const CONNECT_LIMIT_MS = 15_000;
const CLOSE_LIMIT_MS = 2_000;
/** Longer than a quorum queue takes to elect a leader, also on a busy server: seconds. */
const REPLY_SECONDS = 60;
const HEARTBEAT_SECONDS = 10;
const QUEUE_TYPE: QueueType = 'quorum';

/** One connection to the server. It is not replaced when it ends: see `ServerLink`. */
export class ServerConnection {
  /** Resolves with the reason why it ended. */
  readonly ended: Promise<Error>;
  private readonly replies: PendingReplies;
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
        // The client only sends a close method, which a peer that is away never confirms: the socket would stay open.
        socket.abort();
        resolve(reason ?? error ?? new Error('closed'));
      });
    });
    this.replies = new PendingReplies(this.ended);
  }

  /** `purpose` is part of the connection's name; `signal` ends the attempt. Rejects with the errors of `toConnectError`. */
  static async open(options: RabbitmqOptions, purpose: string, signal: AbortSignal): Promise<ServerConnection> {
    const socket = new AbortController();
    const abort = (): void => socket.abort();
    const limit = setTimeout(abort, CONNECT_LIMIT_MS);
    signal.addEventListener('abort', abort);
    try {
      const model = await connect(connectOptionsOf(options), socketOptions(options, purpose, socket.signal));
      return new ServerConnection(model, socket, options);
    } catch (error) {
      throw socket.signal.aborted ? unavailable('no_answer', options) : toConnectError(error, options);
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Calls `listener` when the server stops accepting messages because it is short of memory or disk space. */
  onBlocked(listener: () => void): void {
    this.model.on('blocked', listener);
  }

  /** The type of the queues that are declared over this connection. */
  get queueType(): QueueType {
    return this.options.queueType ?? QUEUE_TYPE;
  }

  async openChannel(): Promise<ServerChannel> {
    return new ServerChannel<Channel>(await this.replies.within(this.model.createChannel()), this.replyLimit());
  }

  async openConfirmChannel(): Promise<ServerChannel<ConfirmChannel>> {
    return new ServerChannel(await this.replies.within(this.model.createConfirmChannel()), this.replyLimit());
  }

  /** Declares a queue and its dead-letter queue, once per connection. Rejects with the errors of `toDeclareError`. */
  declare(queue: QueueBounds): Promise<void> {
    let declared = this.declared.get(queue.name);
    if (!declared) {
      declared = this.declareNow(queue);
      this.declared.set(queue.name, declared);
      declared.catch(() => this.forget(queue));
    }
    return declared;
  }

  /** Counts the messages that are ready for delivery in a queue and in its dead-letter queue. */
  async countWaiting(queue: QueueBounds): Promise<{ waiting: number; deadLetters: number }> {
    await this.declare(queue);
    const channel = await this.openChannel();
    try {
      const { messageCount: waiting } = await channel.within(channel.amqp.checkQueue(queue.name));
      const { messageCount: deadLetters } = await channel.within(channel.amqp.checkQueue(queue.deadLetter));
      return { waiting, deadLetters };
    } catch (error) {
      this.forget(queue);
      throw error;
    } finally {
      await channel.close();
    }
  }

  /** Makes the next `declare` ask the server again, after the queue was deleted. */
  forget({ name }: QueueBounds): void {
    this.declared.delete(name);
  }

  /** Closes the connection in order, or after CLOSE_LIMIT_MS by force. */
  async close(): Promise<void> {
    const closed = this.model.close().catch(() => undefined);
    await Promise.race([closed, this.ended, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
    this.socket.abort();
  }

  private replyLimit(): ReplyLimit {
    return { ms: (this.options.replySeconds ?? REPLY_SECONDS) * 1_000, endConnection: () => this.socket.abort() };
  }

  private async declareNow(queue: QueueBounds): Promise<void> {
    const channel = await this.openChannel();
    try {
      for (const { name, arguments: args } of declarationsOf(queue, this.queueType)) {
        const declared = channel.within(channel.amqp.assertQueue(name, { durable: true, arguments: args }));
        await declared.catch((error: unknown) => {
          throw toDeclareError(error, name, this.options);
        });
      }
    } finally {
      await channel.close();
    }
  }
}

function connectOptionsOf({ url, vhost, username, password = '', heartbeatSeconds }: RabbitmqOptions) {
  const parsed = new URL(url);
  const { protocol, port } = parsed;
  return {
    protocol: protocol.slice(0, -1),
    hostname: hostOf(parsed),
    ...(port !== '' && { port: Number(port) }),
    // The client expects it percent-encoded, as in a URL.
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
    // The client gives no other access to its socket.
    signal,
  };
}

function readCertificates(caFile: string): Buffer {
  try {
    return readFileSync(caFile);
  } catch (cause) {
    throw new HistoryError('CONFIG_INVALID', `broker.rabbitmq.ca_file: ${caFile} cannot be read`, { cause });
  }
}
