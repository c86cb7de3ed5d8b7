import type { StartedServer } from '../state';
import type { Rabbitmqctl } from './rabbitmqctl';

/** A server that does its work. */
export interface Service {
  url: string;
  rabbitmqctl?: Rabbitmqctl;
}

/** Finds a server that runs already; rejects when there is none that can be used. */
export type FindServer = () => Promise<Service>;
/** Starts a server in the folder of all; tells at once what it started, and resolves when it is healthy. */
export type StartServer = (folder: string, started: (server: StartedServer) => void) => Promise<void>;
