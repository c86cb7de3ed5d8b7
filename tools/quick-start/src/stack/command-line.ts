import { parseArgs } from 'node:util';
import { StartError } from '@antelope-history/processes';

export const USAGE = `npm run suite -- [options]

Runs every app as a process of its own on Elasticsearch, RabbitMQ and Redis, which are started when they do not run.
Its data has fresh names on these servers and is removed at the end. An app that ends by itself is started again.

  --ship URL           follow a node's state history socket, e.g. ws://127.0.0.1:8080
  --recording DIR      play a recorded chain (default: the sample chain that comes with the project)
  --port N             port of the gateway (default 8888)
  --deserializers N    number of deserializers (default 1)
  --indexers N         number of indexers (default 1)
  --apis N             number of each of the three APIs (default 1)
  --help               this text
`;

const DEFAULT_PORT = 8888;
const MAX_PROCESSES = 64;

export interface CommandLine {
  ship?: string;
  recording?: string;
  port: number;
  deserializers: number;
  indexers: number;
  apis: number;
}

/** Parses a command line. Throws a `StartError` that names the wrong option. */
export function parseCommandLine(args: string[]): 'help' | CommandLine {
  const { help, ship, recording, port, ...counts } = parseOptions(args);
  if (help) return 'help';
  if (ship !== undefined && recording !== undefined) {
    throw new StartError('--ship and --recording exclude each other: give one of them.');
  }
  if (ship !== undefined && !/^wss?:\/\/[^/]/.test(ship)) {
    throw new StartError(`--ship takes a URL like ws://127.0.0.1:8080, not "${ship}".`);
  }
  return {
    ...(ship !== undefined && { ship }),
    ...(recording !== undefined && { recording }),
    port: parseNumber('port', port, 65535, DEFAULT_PORT),
    deserializers: parseNumber('deserializers', counts.deserializers, MAX_PROCESSES, 1),
    indexers: parseNumber('indexers', counts.indexers, MAX_PROCESSES, 1),
    apis: parseNumber('apis', counts.apis, MAX_PROCESSES, 1),
  };
}

function parseOptions(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args,
      options: {
        ship: text,
        recording: text,
        port: text,
        deserializers: text,
        indexers: text,
        apis: text,
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    // The first sentence of Node.js names the option; its advice about `--` does not apply to npm scripts.
    const [reason] = (error as Error).message.split('. ');
    throw new StartError(`${reason ?? 'Wrong options'}. All options: npm run suite -- --help`);
  }
}

function parseNumber(name: string, text: string | undefined, most: number, fallback: number): number {
  if (text === undefined) return fallback;
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (value >= 1 && value <= most) return value;
  throw new StartError(`--${name} takes a number from 1 to ${most}, not "${text}".`);
}
