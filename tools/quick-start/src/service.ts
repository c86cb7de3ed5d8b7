import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { startChild } from './child';
import { type LogEntry, parseLogLine, ServiceLogFile, WARN } from './service-log';
import { OPERATIONS_PORT, type Setup, WORKSPACE } from './setup';

const PROGRAM = path.join(WORKSPACE, 'apps/standalone/dist/main.js');

/** The whole service in a child process; its log goes to a file, its warnings and errors to the person. */
export interface Service {
  child: ChildProcess;
  url: string;
  /** Where the service listens, when others than this machine reach it there. */
  openAddress: string | undefined;
  /** Of its operations listener. */
  operationsUrl: string;
  logFile: string;
}

export function startService(setup: Setup, operationsPort: number, onTrouble: (entry: LogEntry) => void): Service {
  const { host, port } = setup.config.gateway;
  const log = new ServiceLogFile(setup.config.store.lmdb.path);
  const environment = { ...setup.environment, [OPERATIONS_PORT]: String(operationsPort) };
  const child = startChild(PROGRAM, setup.serviceArgs, environment);
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output as Readable }).on('line', (line) => {
      log.append(line);
      const entry = parseLogLine(line);
      if (entry.level >= WARN) onTrouble(entry);
    });
  }
  return {
    child,
    url: `http://${reachableHost(host)}:${port}`,
    openAddress: isLoopback(host) ? undefined : `${host.includes(':') ? `[${host}]` : host}:${port}`,
    operationsUrl: `http://${reachableHost(setup.config.ops.host)}:${operationsPort}`,
    logFile: log.file,
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** An address that listens on all is reached on this machine. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
