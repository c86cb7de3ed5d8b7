import { StartError } from './start-error';

/** Exit status of a command whose command line is wrong; 1 is that of a command that failed or found something wrong. */
const WRONG_COMMAND_LINE = 2;

/** An option that does not exist, or has a wrong value. The message names the option. */
export class CommandLineError extends StartError {}

/**
 * The result of `parse`, which parses the options of a command line with `parseArgs` of Node.js. `command`: what the person typed, for the
 * error. Throws a `CommandLineError` that names an unknown or incomplete option.
 */
export function parseOptions<Values>(command: string, parse: () => { values: Values }): Values {
  try {
    return parse().values;
  } catch (error) {
    throw toCommandLineError(command, error);
  }
}

/** The first sentence of Node.js names the option; its advice about `--` does not apply to npm scripts. */
function toCommandLineError(command: string, error: unknown): CommandLineError {
  const [reason] = (error as Error).message.split('. ');
  return new CommandLineError(`${reason ?? 'Wrong options'}. All options: ${command} -- --help`);
}

/** The whole number of an option. Throws a `CommandLineError` for other texts. */
export function parseNumber(option: string, text: string, [least, most]: readonly [number, number]): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new CommandLineError(`--${option} takes a number from ${least} to ${most}, not "${text}".`);
}

/** The value of an option that takes one of several names. Throws a `CommandLineError` for other texts. */
export function parseChoice<Name extends string>(option: string, text: string, names: readonly Name[]): Name {
  const name = names.find((each) => each === text);
  if (name !== undefined) return name;
  throw new CommandLineError(`--${option} takes ${names.join(', ')}, not "${text}".`);
}

/**
 * Runs a command with the arguments of this process. An error ends it with status 1, a wrong command line with 2. A `StartError` is shown
 * without its stack trace. `command`: what the person typed.
 */
export function runCommand(command: string, run: (args: string[]) => Promise<void>): void {
  run(process.argv.slice(2)).catch((thrown: unknown) => {
    const error = isParseError(thrown) ? toCommandLineError(command, thrown) : thrown;
    const shown = error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${shown}\n`);
    process.exitCode = error instanceof CommandLineError ? WRONG_COMMAND_LINE : 1;
  });
}

/** Whether `parseArgs` of Node.js threw the error. */
function isParseError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}
