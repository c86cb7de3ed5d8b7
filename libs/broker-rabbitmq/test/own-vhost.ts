import { connect, type ChannelModel } from 'amqplib';
import { createVhost, type Vhost } from '@antelope-history/servers';

/** A virtual host for one test file, with direct access to its queues. */
export class OwnVhost {
  private constructor(
    readonly options: Vhost,
    private readonly server: ChannelModel,
  ) {}

  static async create(serverUrl: string): Promise<OwnVhost> {
    const vhost = await createVhost(serverUrl);
    const { hostname, port } = new URL(vhost.url);
    const access = { username: vhost.username, password: vhost.password, vhost: vhost.vhost };
    return new OwnVhost(vhost, await connect({ hostname, port: Number(port || 5672), ...access }));
  }

  /** The number of ready messages in a queue; undefined when it does not exist. */
  async count(queue: string): Promise<number | undefined> {
    const channel = await this.server.createChannel();
    channel.on('error', () => undefined);
    try {
      const { messageCount } = await channel.checkQueue(queue);
      await channel.close();
      return messageCount;
    } catch {
      return undefined;
    }
  }

  /** The headers of the first message. */
  async peek(queue: string): Promise<Record<string, unknown>> {
    const channel = await this.server.createChannel();
    const message = await channel.get(queue);
    await channel.close();
    return message ? { ...message.properties.headers } : {};
  }

  /** Removes the first message. */
  async drop(queue: string): Promise<void> {
    const channel = await this.server.createChannel();
    await channel.get(queue, { noAck: true });
    await channel.close();
  }

  /** Rejects the first message without requeue, so that the server dead-letters it. */
  async rejectFirst(queue: string): Promise<void> {
    const channel = await this.server.createChannel();
    const message = await channel.get(queue);
    if (message) channel.nack(message, false, false);
    await channel.close();
  }

  async put(queue: string, content: Buffer, headers = {}): Promise<void> {
    const channel = await this.server.createConfirmChannel();
    channel.sendToQueue(queue, content, { headers });
    await channel.waitForConfirms();
    await channel.close();
  }

  async deleteQueue(queue: string): Promise<void> {
    const channel = await this.server.createChannel();
    await channel.deleteQueue(queue);
    await channel.close();
  }

  async remove(): Promise<void> {
    await this.server.close();
    await this.options.remove();
  }
}
