import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** `USER_HZ`: the unit of times in /proc on Linux. */
const TICKS_PER_SECOND = 100;
const LISTENING = '0A';

/** Seconds that all threads of a process have run; undefined where the system does not report it (only Linux does). */
export function processorSeconds(pid: number): number | undefined {
  return secondsIn(`/proc/${pid}/stat`);
}

/** Seconds that the main thread of a process has run; undefined as above. */
export function mainThreadSeconds(pid: number): number | undefined {
  return secondsIn(`/proc/${pid}/task/${pid}/stat`);
}

/** Seconds that each thread of a process has run, by its id; empty where the system does not report it. */
export function threadSeconds(pid: number): Map<number, number> {
  return new Map(numbersIn(`/proc/${pid}/task`).map((id) => [id, secondsIn(`/proc/${pid}/task/${id}/stat`) ?? 0]));
}

function secondsIn(file: string): number | undefined {
  try {
    const stat = readFileSync(file, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** The process of this machine that listens on a port; undefined when there is none, or no permission to see it. */
export function listenerOf(port: number): number | undefined {
  const sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => socketsOf(table, port));
  return sockets.length === 0 ? undefined : numbersIn('/proc').find((pid) => holdsOneOf(pid, sockets));
}

/** Inodes of the sockets of a table that listen on a port. See proc(5), `/proc/net/tcp`. */
function socketsOf(table: string, port: number): string[] {
  const rows = readOr(table, '').split('\n').slice(1);
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(`:${wanted}`) && state === LISTENING)
    .map(([, , , , , , , , , inode = '']) => `socket:[${inode}]`);
}

function holdsOneOf(pid: number, sockets: string[]): boolean {
  return numbersIn(`/proc/${pid}/fd`).some((descriptor) => {
    try {
      return sockets.includes(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
    } catch {
      return false;
    }
  });
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}
