import { parseArgs } from 'node:util';

export const USAGE = `npm start -- [options]

Indexes a chain on this machine and answers for it. Without options: the sample chain that comes with the project.

  --ship URL         follow a node's state history socket, e.g. ws://127.0.0.1:8080
  --recording DIR    play a recorded chain: a folder with ship.abi.json and messages.ship.gz
  --port N           port of the gateway (default 8888)
  --host ADDRESS     address of the gateway (default 127.0.0.1: this machine only; 0.0.0.0 opens it to the network)
  --ops-port N       port of the status page and metrics, on this machine only (default 8890, or a free one)
  --data DIR         where the index is kept (default: a directory per source below data/)
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

/** What is wrong and what to do about it: shown without a stack. */
export class QuickStartError extends Error {
  override readonly name = 'QuickStartError';
}

/** What a command line asks for. Throws `QuickStartError` that names the wrong option. */
export function parseCommandLine(args: string[]): 'help' | CommandLine {
  const { help, port, 'ops-port': opsPort, ...paths } = parseOptions(args);
  if (help) return 'help';
  if (paths.ship !== undefined && paths.recording !== undefined) {
    throw new QuickStartError('--ship and --recording exclude each other: give one of them.');
  }
  if (paths.ship !== undefined && !/^wss?:\/\/[^/]/.test(paths.ship)) {
    throw new QuickStartError(`--ship takes a URL like ws://127.0.0.1:8080, not "${paths.ship}".`);
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
    // Node.js says which option, and adds advice about `--` that confuses more than it helps.
    const [what] = (error as Error).message.split('. ');
    throw new QuickStartError(`${what ?? 'Wrong options'}. What there is: npm start -- --help`);
  }
}

function parsePort(option: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port >= 1 && port <= 65535) return port;
  throw new QuickStartError(`--${option} takes a number from 1 to 65535, not "${text}".`);
}
