import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import type { ProcessIdentity } from './processes/process-identity';
import type { Rabbitmqctl } from './servers/rabbitmqctl';
import type { ServiceName } from './service-name';

/** A server that was started here, and what ends it. */
export interface StartedServer {
  name: ServiceName;
  url: string;
  /** In the order of their start; none when Docker runs it. */
  processes: ProcessIdentity[];
  /** Holds nothing that is needed when the server has ended. */
  folder?: string;
  rabbitmqctl?: Rabbitmqctl;
}

/** What runs and for whom. */
export interface State {
  servers: StartedServer[];
  /** Whether the servers stay until somebody stops them. */
  kept: boolean;
  /** For whom they run until the last of these ends. */
  holders: ProcessIdentity[];
}

const FILE = 'state.json';

/**
 * The folder of all that runs on this machine for this user, below the system's temporary one: the user that a server
 * runs as has to reach it. Throws when somebody else made it.
 */
export function servicesFolder(): string {
  const { uid, username } = userInfo();
  const folder = path.join(tmpdir(), `antelope-history-services-${username}`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || (uid >= 0 && stat.uid !== uid)) throw new Error(`${folder} belongs to somebody else`);
  return folder;
}

/** Nothing is lost with a state that cannot be read but the ends of servers that were killed on the way. */
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
