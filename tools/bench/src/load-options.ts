import { parseNumber } from '@antelope-history/processes';
import { ROUNDS } from './command-line';

const text = { type: 'string' } as const;
const number = (value: string) => ({ type: 'string', default: value }) as const;

/** Options of `parseArgs` that the benchmarks of requests share. */
export const LOAD_OPTIONS = {
  recording: text,
  runs: number('5'),
  seconds: number('3'),
  connections: number('16'),
  out: text,
  help: { type: 'boolean' },
} as const;

const SECONDS = [1, 24 * 60 * 60] as const;
/** Each connection takes a file descriptor here and one in the service. */
const CONNECTIONS = [1, 1_000] as const;

export interface LoadOptions {
  connections: number;
  /** Runs of each side, in turns. */
  runs: number;
  /** Length of a run. */
  seconds: number;
}

/** The numbers among the parsed values of `LOAD_OPTIONS`. Throws a `CommandLineError` for other texts. */
export function readLoadOptions(values: Record<keyof LoadOptions, string>): LoadOptions {
  return { ...readRunOptions(values), connections: parseNumber('connections', values.connections, CONNECTIONS) };
}

/** The number and the length of the runs. Throws a `CommandLineError` for other texts. */
export function readRunOptions({
  runs,
  seconds,
}: Record<'runs' | 'seconds', string>): Omit<LoadOptions, 'connections'> {
  return { runs: parseNumber('runs', runs, ROUNDS), seconds: parseNumber('seconds', seconds, SECONDS) };
}
