import type { QueueType } from './queue-arguments';

/** Each option is described in `docs/configuration.md` under `broker.rabbitmq`. */
export interface RabbitmqOptions {
  /** Of the server, or of several nodes of a cluster, separated by commas. */
  url: string;
  vhost: string;
  username: string;
  password?: string | undefined;
  caFile?: string | undefined;
  splitBytes: number;
  /** By default quorum. */
  queueType?: QueueType | undefined;
  /** The name of this process's connections in the server's lists. */
  connectionName?: string | undefined;
  /** The client ends a connection that is silent for two to three heartbeats. */
  heartbeatSeconds?: number | undefined;
  /** A connection ends when the server does not reply to a call on one of its channels for this long. */
  replySeconds?: number | undefined;
  /** Connecting rejects when the server has been away for about this long; by default it is retried without limit. */
  giveUpMs?: number | undefined;
}
