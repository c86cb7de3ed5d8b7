import { parseArgs, type ParseArgsConfig } from 'node:util';
import { CommandLineError } from '@antelope-history/processes';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Described extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: Described }>>['values'];

interface BenchmarkOptions<Described extends Options, Required extends string> {
  /** The text of `--help`. */
  usage: string;
  /** As `parseArgs` takes them. */
  options: Described & { help: { type: 'boolean' } };
  /** Those of the options without which the benchmark cannot run. */
  required: readonly (Required & keyof Described)[];
}

/** The processes of an app, as `npm run suite` accepts them. */
export const PROCESSES = [1, 64] as const;
/** The blocks of a chain that is made or played; made blocks are kept in memory. */
export const BLOCKS = [1, 1_000_000] as const;
/** How often a recording is played, or a measurement repeated. */
export const ROUNDS = [1, 10_000] as const;

/**
 * The values of a benchmark's options; `undefined` when they include `--help`, whose text is printed then. Throws a `CommandLineError`
 * when a required option is missing, and an error of `parseArgs` for an unknown one.
 */
export function readOptions<Described extends Options, Required extends string>(
  args: string[],
  { usage, options, required }: BenchmarkOptions<Described, Required>,
): (Values<Described> & Record<Required, string>) | undefined {
  const { values } = parseArgs<{ args: string[]; options: Options }>({ args, options });
  if (values['help'] === true) {
    process.stdout.write(usage);
    return undefined;
  }
  const missing = required.find((option) => values[option] === undefined);
  if (missing !== undefined) throw new CommandLineError(`--${missing} is missing.\n\n${usage.trimEnd()}`);
  return values as Values<Described> & Record<Required, string>;
}
