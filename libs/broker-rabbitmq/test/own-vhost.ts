import { connect, type ChannelModel } from 'amqplib';
import { createVhost, type Vhost } from '@antelope-history/services';

/** A virtual host of a test's own, and a look at its queues past the broker. */
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

  /** How many messages wait in a queue; undefined when it is not there. */
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

  /** The headers of the message that waits in front. */
  async peek(queue: string): Promise<Record<string, unknown>> {
    const channel = await this.server.createChannel();
    const message = await channel.get(queue);
    await channel.close();
    return message ? { ...message.properties.headers } : {};
  }

  /** Removes the message that waits in front. */
  async drop(queue: string): Promise<void> {
    const channel = await this.server.createChannel();
    await channel.get(queue, { noAck: true });
    await channel.close();
  }

  /** Refuses it for good, so that the server puts it with the dead letters. */
  async refuse(queue: string): Promise<void> {
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
