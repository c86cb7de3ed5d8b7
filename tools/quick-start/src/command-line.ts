import { parseArgs } from 'node:util';
import { parseNumber, parseOptions } from '@antelope-history/processes';
import { checkSource, PORTS, type SourceOptions } from './source-options';

export const USAGE = `npm start -- [options]

Indexes a chain on this machine and serves its history. Without options: the sample chain of the project.

  --ship URL         follow a node's state history socket, e.g. ws://127.0.0.1:8080
  --recording DIR    play a recorded chain: a folder with ship.abi.json and messages.ship.gz
  --port N           port of the gateway (default 8888)
  --host ADDRESS     address of the gateway (default 127.0.0.1: this machine only; 0.0.0.0 opens it to the network)
  --ops-port N       port of the page and the metrics, on this machine only (default 8890, or a free one)
  --data DIR         directory of the index (default: a directory per source below data/)
  --config FILE      configuration of the service, see docs/configuration.md (default: config.json when it is there)
  --help             this text
`;

export interface CommandLine extends SourceOptions {
  port?: number;
  host?: string;
  opsPort?: number;
  data?: string;
  config?: string;
}

const OPTIONS = {
  ship: { type: 'string' },
  recording: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  'ops-port': { type: 'string' },
  data: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Parses a command line. Throws a `CommandLineError` that names the wrong option. */
export function parseCommandLine(args: string[]): 'help' | CommandLine {
  const {
    help,
    port,
    'ops-port': opsPort,
    ...paths
  } = parseOptions('npm start', () => parseArgs({ args, options: OPTIONS }));
  if (help) return 'help';
  checkSource(paths);
  return {
    ...paths,
    ...(port !== undefined && { port: parseNumber('port', port, PORTS) }),
    ...(opsPort !== undefined && { opsPort: parseNumber('ops-port', opsPort, PORTS) }),
  };
}
