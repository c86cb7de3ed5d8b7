import { parseArgs } from 'node:util';
import { StartError } from '@antelope-history/processes';

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

export interface CommandLine {
  ship?: string;
  recording?: string;
  port?: number;
  host?: string;
  opsPort?: number;
  data?: string;
  config?: string;
}

/** Parses a command line. Throws a `StartError` that names the wrong option. */
export function parseCommandLine(args: string[]): 'help' | CommandLine {
  const { help, port, 'ops-port': opsPort, ...paths } = parseOptions(args);
  if (help) return 'help';
  if (paths.ship !== undefined && paths.recording !== undefined) {
    throw new StartError('--ship and --recording exclude each other: give one of them.');
  }
  if (paths.ship !== undefined && !/^wss?:\/\/[^/]/.test(paths.ship)) {
    throw new StartError(`--ship takes a URL like ws://127.0.0.1:8080, not "${paths.ship}".`);
  }
  return {
    ...paths,
    ...(port !== undefined && { port: parsePort('port', port) }),
    ...(opsPort !== undefined && { opsPort: parsePort('ops-port', opsPort) }),
  };
}

function parseOptions(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        ship: { type: 'string' },
        recording: { type: 'string' },
        port: { type: 'string' },
        host: { type: 'string' },
        'ops-port': { type: 'string' },
        data: { type: 'string' },
        config: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    // The first sentence of Node.js names the option; its advice about `--` does not apply to npm scripts.
    const [reason] = (error as Error).message.split('. ');
    throw new StartError(`${reason ?? 'Wrong options'}. All options: npm start -- --help`);
  }
}

function parsePort(option: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port >= 1 && port <= 65535) return port;
  throw new StartError(`--${option} takes a number from 1 to 65535, not "${text}".`);
}
