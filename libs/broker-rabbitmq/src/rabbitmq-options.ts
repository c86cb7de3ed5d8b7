/** Where the server is and how it is used; the meaning of each is in `docs/configuration.md` under `broker.rabbitmq`. */
export interface RabbitmqOptions {
  url: string;
  vhost: string;
  username: string;
  password?: string | undefined;
  caFile?: string | undefined;
  splitBytes: number;
  /** How the server lists this process's connections. */
  connectionName?: string | undefined;
  /** A server that is silent for two to three of these is dead. */
  heartbeatSeconds?: number | undefined;
}
