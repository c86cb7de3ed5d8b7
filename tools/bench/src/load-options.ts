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

export interface LoadOptions {
  connections: number;
  /** Runs of each side, in turns. */
  runs: number;
  /** Length of a run. */
  seconds: number;
}

/** The numbers among the parsed values of `LOAD_OPTIONS`. */
export function readLoadOptions(values: Record<keyof LoadOptions, string>): LoadOptions {
  return {
    runs: Number(values.runs),
    seconds: Number(values.seconds),
    connections: Number(values.connections),
  };
}
