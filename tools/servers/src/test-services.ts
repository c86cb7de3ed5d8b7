import path from 'node:path';
import { BROWSER_VARIABLE } from './browser';
import { findProgram } from './processes/command';
import { type ServiceName, URL_VARIABLES } from './service-name';

/** The Debian packages that contain the programs. */
const PACKAGES: Record<string, string> = {
  java: 'openjdk-17-jre-headless',
  mvn: 'maven',
  'rabbitmq-server': 'rabbitmq-server',
  rabbitmqctl: 'rabbitmq-server',
  'redis-server': 'redis-server',
};

/**
 * Runs a test file's suites against servers, given their URLs in the order of `names`; RabbitMQ's URL is that of an
 * administrator, as `createVhost` takes it. A missing server replaces the suites by one test, which is skipped, or fails
 * where CI=true. Call it at the top of a test file of a project whose jest.config.cjs names the servers; needs Jest.
 */
export function describeWithService(names: ServiceName[], define: (...urls: string[]) => void): void {
  const urls = names.map((name) => process.env[URL_VARIABLES[name]]);
  const missing = names.filter((_, index) => urls[index] === undefined);
  if (missing.length === 0) define(...(urls as string[]));
  else replaceTests(`needs ${missing.join(' and ')}, which could not be started: see the first lines of the run`);
}

/** The same for suites that open pages, given the path of a Chromium; of a project that sets up `all-and-browser`. */
export function describeWithBrowser(define: (program: string) => void): void {
  const program = process.env[BROWSER_VARIABLE];
  if (program !== undefined) define(program);
  else replaceTests('needs Chromium, which could not be installed: see the first lines of the run');
}

/** The same for suites that start installed programs themselves. Java is also searched in JAVA_HOME. */
export function describeWithPrograms(names: string[], define: () => void): void {
  const java = path.join(process.env['JAVA_HOME'] ?? '/', 'bin/java');
  const missing = names.filter((name) => !findProgram(...(name === 'java' ? [java] : []), name));
  if (missing.length === 0) define();
  else replaceTests(`needs ${missing.join(' and ')}: install ${[...packagesOf(missing)].join(' ')} (Debian's names)`);
}

function packagesOf(programs: string[]): Set<string> {
  return new Set(programs.map((program) => PACKAGES[program] ?? program));
}

/** Suites that only `npm run test:long` runs, for the reason: elsewhere one skipped test, whose title says so, replaces them. */
export function describeLong(reason: string, define: () => void): void {
  if (process.env['HISTORY_TEST_SIZE'] === 'long') define();
  else describe.skip(`runs in npm run test:long: ${reason}`, () => it('runs', () => undefined));
}

/** One test in place of suites that cannot run: its title is the reason. */
function replaceTests(needed: string): void {
  if (process.env['CI'] !== 'true') {
    describe.skip(needed, () => it('runs', () => undefined));
    return;
  }
  it(needed, () => {
    throw new Error(needed);
  });
}
