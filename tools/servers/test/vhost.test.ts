import { connect } from 'amqplib';
import { createVhost, describeWithService } from '@antelope-history/servers';

describeWithService(['rabbitmq'], (url) => {
  it('creates a virtual host with a user of its own, and removes both', async () => {
    const { url: server, vhost, username, password, remove } = await createVhost(url);
    const own = new URL(server);
    Object.assign(own, { username, password, pathname: vhost });
    try {
      const connection = await connect(own.href);
      const channel = await connection.createChannel();
      await channel.assertQueue('own', { durable: true });
      await connection.close();
      own.pathname = '%2f';
      await expect(connect(own.href)).rejects.toThrow(/ConnectionClose|403/);
    } finally {
      await remove();
    }
    own.pathname = vhost;
    await expect(connect(own.href)).rejects.toThrow(/ConnectionClose|403/);
  });
});
