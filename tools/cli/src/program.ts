import { Command, CommanderError } from 'commander';
import { readServiceVersion } from '@antelope-history/app-runtime';
import { type ProgressView, withoutControls } from '@antelope-history/quick-start/progress';
import { HistoryError } from '@antelope-history/schemas';
import { addCompletion } from './completion';
import { addExport } from './export/export-command';
import { addHyperionConfig } from './hyperion/hyperion-command';
import { PROGRAMS, startProgram } from './programs';
import { addStatus } from './status/status-command';

/** The parts of the process that the commands use. */
export interface CommandHost {
  environment: NodeJS.ProcessEnv;
  output: NodeJS.WritableStream & { isTTY?: boolean };
  errors: NodeJS.WritableStream;
  progress: ProgressView;
  /** Aborts at Ctrl-C, after a call of `onInterrupt`. */
  signal: AbortSignal;
  onInterrupt(): void;
}

/** The command line was wrong, or the command could not run. */
export const COULD_NOT_RUN = 2;

const NOTES = `
First steps:
  antelope-history start                         index the sample chain and print requests to try
  antelope-history start --ship ws://HOST:8080   follow a node
  antelope-history check-config --config FILE    say what is wrong with a configuration
  antelope-history status                        how the service on this machine is doing
  antelope-history export --account alice --format csv --out alice.csv

Exit status: 0 as wanted; 1 something is wrong, which the output names; 2 the command could not run.
\`antelope-history COMMAND --help\` has the options of a command. docs/installation.md and docs/operations.md say when each is of use.`;

/** Runs a command line. Resolves with the exit status, or undefined when a program of its own sets it. */
export async function runProgram(args: string[], host: CommandHost): Promise<number | undefined> {
  const own = PROGRAMS.find(({ name }) => name === args[0]);
  if (own) return startProgram(own, args.slice(1));
  let status = 0;
  const program = createProgram(host, (result) => (status = result));
  try {
    await program.parseAsync(args, { from: 'user' });
    return status;
  } catch (error) {
    // Commander has printed its message, or its help, already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : COULD_NOT_RUN;
    if (!(error instanceof HistoryError)) throw error;
    host.errors.write(`${withoutControls(`${error.code}: ${error.message}`)}\n`);
    return COULD_NOT_RUN;
  } finally {
    host.progress.close();
  }
}

/** `setStatus` gets the exit status of the command. The programs of their own are listed only. */
function createProgram(host: CommandHost, setStatus: (status: number) => void): Command {
  const program = new Command('antelope-history')
    .description('Indexes the history of an Antelope chain, serves it, and looks after it.')
    .version(readServiceVersion(), '--version', 'print the version')
    .helpOption('--help', 'this text')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', NOTES)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void host.output.write(text),
      writeErr: (text) => void host.errors.write(text),
    });
  for (const { name, summary } of PROGRAMS) program.command(name).description(summary);
  addStatus(program, host, setStatus);
  addExport(program, host, setStatus);
  addHyperionConfig(program, host, setStatus);
  addCompletion(program, host);
  return program;
}
