import { z } from 'zod';
import { MIB, amqpUrls, caFile, password, passwordFile } from './field-types';

const rabbitmq = z.strictObject({
  url: amqpUrls
    .default('amqp://127.0.0.1:5672')
    .describe('The RabbitMQ server, without virtual host, or the nodes of one cluster.'),
  vhost: z.string().min(1).default('history').describe('The virtual host of the queues; each chain needs its own.'),
  username: z.string().min(1).default('history').describe('A user with all permissions on the virtual host.'),
  password,
  password_file: passwordFile,
  ca_file: caFile("RabbitMQ's"),
  queue_type: z
    .enum(['quorum', 'classic'])
    .default('quorum')
    .describe(
      'Type of the queues. Those of type quorum have a copy on up to three nodes of a cluster; those of type classic are lost with ' +
        'their node.',
    ),
  split_bytes: z
    .int()
    .min(64 * 1024)
    .max(128 * MIB)
    .default(8 * MIB)
    .describe("Messages above this size are sent in parts. Must be below the server's `max_message_size`."),
});

export const broker = z.strictObject({
  kind: z.enum(['memory', 'rabbitmq']).default('memory').describe('Broker that carries blocks between the stages.'),
  rabbitmq: rabbitmq.prefault({}),
});
