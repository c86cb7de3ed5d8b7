import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import type { ProcessIdentity } from './processes/process-identity';
import type { Rabbitmqctl } from './servers/rabbitmqctl';
import type { ServiceName } from './service-name';

/** A server that was started here, with what is needed to stop it. */
export interface StartedServer {
  name: ServiceName;
  url: string;
  /** In the order of their start; empty when Docker runs the server. */
  processes: ProcessIdentity[];
  /** Can be removed when the server has ended. */
  folder?: string;
  rabbitmqctl?: Rabbitmqctl;
}

/** The servers that run and their holders. */
export interface State {
  servers: StartedServer[];
  /** Whether the servers run until `npm run services:stop`. */
  kept: boolean;
  /** Processes that need the servers. */
  holders: ProcessIdentity[];
}

const FILE = 'state.json';

/**
 * The folder of the servers that run for this user. It is below the system's temporary folder, because the user that a
 * server runs as has to reach it. Throws when it belongs to another user.
 */
export function servicesFolder(): string {
  const { uid, username } = userInfo();
  const folder = path.join(tmpdir(), `antelope-history-services-${username}`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || (uid >= 0 && stat.uid !== uid)) throw new Error(`${folder} belongs to another user`);
  return folder;
}

/** An unreadable state counts as empty: at worst, servers that were started before are not stopped. */
export function readState(folder: string): State {
  try {
    return JSON.parse(readFileSync(path.join(folder, FILE), 'utf8')) as State;
  } catch {
    return { servers: [], kept: false, holders: [] };
  }
}

export function writeState(folder: string, state: State): void {
  const file = path.join(folder, FILE);
  writeFileSync(`${file}.new`, JSON.stringify(state, null, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
