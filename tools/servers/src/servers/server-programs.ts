import type { StartedServer } from '../state';
import type { Rabbitmqctl } from './rabbitmqctl';

/** A server that is healthy. */
export interface Service {
  url: string;
  rabbitmqctl?: Rabbitmqctl;
}

/** Finds a running server; rejects when none is usable. */
export type FindServer = () => Promise<Service>;
/** Starts a server below the shared folder, calls `started` at once, and resolves when the server is healthy. */
export type StartServer = (folder: string, started: (server: StartedServer) => void) => Promise<void>;
