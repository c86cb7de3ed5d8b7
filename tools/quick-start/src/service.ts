import type { ChildProcess } from 'node:child_process';
import { hostAndPort, localAddressOf } from '@antelope-history/connectivity';
import { AppLogFile, type LogEntry, startApp, WARN } from '@antelope-history/processes';
import { GATEWAY_PORT, OPERATIONS_PORT, type Setup } from './setup';

/** The whole service in a child process. Its log goes to a file, its warnings and errors to the terminal. */
export interface Service {
  child: ChildProcess;
  url: string;
  /** Address where other machines reach the service; undefined when it listens on the loopback interface only. */
  openAddress: string | undefined;
  /** URL of its operations listener. */
  operationsUrl: string;
  logFile: string;
}

/** Ports that can be opened now. */
export interface ServicePorts {
  port: number;
  operationsPort: number;
}

/** `onProblem` is called with each log entry of level `warn` or higher. */
export function startService(
  setup: Setup,
  { port, operationsPort }: ServicePorts,
  onProblem: (entry: LogEntry) => void,
): Service {
  const { host } = setup.config.gateway;
  const log = new AppLogFile(setup.config.store.lmdb.path, 'service.log');
  const { child } = startApp('standalone', {
    args: setup.serviceArgs,
    environment: {
      ...setup.environment,
      [GATEWAY_PORT]: String(port),
      [OPERATIONS_PORT]: String(operationsPort),
    },
    onEntry(entry, line) {
      log.append(line);
      if (entry.level >= WARN) onProblem(entry);
    },
  });
  return {
    child,
    url: `http://${localAddressOf(host, port)}`,
    openAddress: isLoopback(host) ? undefined : hostAndPort(host, port),
    operationsUrl: `http://${localAddressOf(setup.config.ops.host, operationsPort)}`,
    logFile: log.file,
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
