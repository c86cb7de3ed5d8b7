import { StartError } from '@antelope-history/processes';

/** Where the blocks come from; without one of them, from the sample chain. */
export interface SourceOptions {
  /** URL of a node's state history socket. */
  ship?: string;
  /** Folder of a recorded chain. */
  recording?: string;
}

/**
 * The result of `parse`, which parses the options of a command line with `parseArgs` of Node.js. `command`: what the person typed, for the
 * error. Throws a `StartError` that names an unknown or incomplete option.
 */
export function parseOptions<Values>(command: string, parse: () => { values: Values }): Values {
  try {
    return parse().values;
  } catch (error) {
    // The first sentence of Node.js names the option; its advice about `--` does not apply to npm scripts.
    const [reason] = (error as Error).message.split('. ');
    throw new StartError(`${reason ?? 'Wrong options'}. All options: ${command} -- --help`);
  }
}

/** Throws a `StartError` unless at most one source is given, and a node as a URL of a WebSocket. */
export function checkSource({ ship, recording }: SourceOptions): void {
  if (ship !== undefined && recording !== undefined) {
    throw new StartError('--ship and --recording exclude each other: give one of them.');
  }
  if (ship !== undefined && !/^wss?:\/\/[^/]/.test(ship)) {
    throw new StartError(`--ship takes a URL like ws://127.0.0.1:8080, not "${ship}".`);
  }
}

/** The number of an option, at least 1. Throws a `StartError` for other texts. */
export function parseNumber(option: string, text: string, most: number): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (value >= 1 && value <= most) return value;
  throw new StartError(`--${option} takes a number from 1 to ${most}, not "${text}".`);
}

export const MAX_PORT = 65_535;
