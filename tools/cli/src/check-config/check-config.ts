import { warning, wrong } from '@antelope-history/connectivity/check';
import { hasErrorCode } from '@antelope-history/schemas';
import { loadConfig } from '@antelope-history/app-runtime';
import { sectionsOf } from './app-needs';
import { type CommandLine, parseCommandLine, USAGE } from './command-line';
import { listChecks } from './list-checks';
import { hasNoFault, renderJson, renderSummary, renderText } from './render';
import { type CheckResult, runChecks } from './run-checks';

export interface CheckConfigHost {
  args: string[];
  environment: NodeJS.ProcessEnv;
  /** Receives each line of the output. */
  print(line: string): void;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Above the response time of a healthy server. */
const CHECK_LIMIT_MS = 5_000;

/** Runs the command: prints each finding and resolves with the exit status. */
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
  return hasNoFault(results) ? 0 : 1;
}

async function* findAll(
  { config: file, app }: CommandLine,
  environment: NodeJS.ProcessEnv,
  now: () => number,
): AsyncGenerator<CheckResult> {
  try {
    const warnings: string[] = [];
    const config = loadConfig(environment, {
      file,
      uses: sectionsOf(app),
      warn: (message) => void warnings.push(message),
    });
    for (const message of warnings) yield renamedKeys(message);
    yield* runChecks(listChecks(config, app, now), CHECK_LIMIT_MS);
  } catch (error) {
    if (!hasErrorCode(error, 'CONFIG_INVALID')) throw error;
    yield {
      check: 'configuration',
      finding: wrong('configuration.invalid', error.message, 'docs/configuration.md lists every key'),
    };
  }
}

function renamedKeys(message: string): CheckResult {
  const finding = warning('configuration.renamed_keys', message, 'use the present names');
  return { check: 'configuration keys', finding };
}
