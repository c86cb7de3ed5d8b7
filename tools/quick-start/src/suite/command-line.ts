import { parseArgs } from 'node:util';
import { parseNumber, parseOptions } from '@antelope-history/processes';
import { checkSource, PORTS, type SourceOptions } from '../source-options';

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
const PROCESSES = [1, 64] as const;

export interface CommandLine extends SourceOptions {
  port: number;
  deserializers: number;
  indexers: number;
  apis: number;
}

const OPTIONS = {
  ship: { type: 'string' },
  recording: { type: 'string' },
  port: { type: 'string', default: String(DEFAULT_PORT) },
  deserializers: { type: 'string', default: '1' },
  indexers: { type: 'string', default: '1' },
  apis: { type: 'string', default: '1' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Parses a command line. Throws a `CommandLineError` that names the wrong option. */
export function parseCommandLine(args: string[]): 'help' | CommandLine {
  const { help, port, deserializers, indexers, apis, ...source } = parseOptions('npm run suite', () =>
    parseArgs({ args, options: OPTIONS }),
  );
  if (help) return 'help';
  checkSource(source);
  return {
    ...source,
    port: parseNumber('port', port, PORTS),
    deserializers: parseNumber('deserializers', deserializers, PROCESSES),
    indexers: parseNumber('indexers', indexers, PROCESSES),
    apis: parseNumber('apis', apis, PROCESSES),
  };
}
