import { wrong } from '@antelope-history/connections/check';
import { hasErrorCode } from '@antelope-history/schemas';
import { loadConfig } from '@antelope-history/service';
import { parseCommandLine, USAGE, type CommandLine } from './command-line';
import { listChecks } from './list-checks';
import { isInOrder, renderJson, renderSummary, renderText } from './render';
import { runChecks, type CheckResult } from './run-checks';

export interface CheckConfigHost {
  args: string[];
  environment: NodeJS.ProcessEnv;
  /** Takes a line of the output. */
  print(line: string): void;
  /** Milliseconds since 1970. */
  now(): number;
}

/** More than any server takes that is not in trouble. */
const CHECK_LIMIT_MS = 5_000;

/** The command: prints what it finds, and gives the exit status. */
export async function checkConfig({ args, environment, print, now }: CheckConfigHost): Promise<0 | 1> {
  const commandLine = parseCommandLine(args);
  if (commandLine === 'help') {
    print(USAGE);
    return 0;
  }
  const results: CheckResult[] = [];
  for await (const result of findAll(commandLine, environment, now)) {
    results.push(result);
    print(commandLine.json ? renderJson(result) : renderText(result));
  }
  if (!commandLine.json) print(renderSummary(results));
  return isInOrder(results) ? 0 : 1;
}

async function* findAll(
  { config: file, app }: CommandLine,
  environment: NodeJS.ProcessEnv,
  now: () => number,
): AsyncGenerator<CheckResult> {
  try {
    const config = loadConfig(file === undefined ? [] : ['--config', file], environment);
    yield* runChecks(listChecks(config, app, now), CHECK_LIMIT_MS);
  } catch (error) {
    if (!hasErrorCode(error, 'CONFIG_INVALID')) throw error;
    yield {
      check: 'configuration',
      finding: wrong('configuration.invalid', error.message, 'docs/configuration.md has every key'),
    };
  }
}
