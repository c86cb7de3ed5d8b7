import path from 'node:path';
import { findProgram } from './processes/command';
import { type ServiceName, URL_VARIABLES } from './service-name';

/**
 * Runs a test file's suites against servers, given their URLs in the order of `names`; RabbitMQ's URL is that of an
 * administrator, `createVhost` takes it. Without the servers it is one test that is skipped, or that fails where
 * CI=true: there they have to be. Call it at the top of a test file of a project whose jest.config.cjs names
 * them; it needs Jest.
 */
export function describeWithService(names: ServiceName[], define: (...urls: string[]) => void): void {
  const urls = names.map((name) => process.env[URL_VARIABLES[name]]);
  const missing = names.filter((_, index) => urls[index] === undefined);
  if (missing.length === 0) define(...(urls as string[]));
  else lackTests(missing, 'could not be brought up; why stands before the tests');
}

/** The same for suites that start programs of this machine themselves. Java is also looked for in JAVA_HOME. */
export function describeWithPrograms(names: string[], define: () => void): void {
  const java = path.join(process.env['JAVA_HOME'] ?? '/', 'bin/java');
  const missing = names.filter((name) => !findProgram(...(name === 'java' ? [java] : []), name));
  if (missing.length === 0) define();
  else lackTests(missing, 'you install');
}

function lackTests(missing: string[], why: string): void {
  const needed = `needs ${missing.join(' and ')}, which ${why}`;
  if (process.env['CI'] !== 'true') {
    describe.skip(needed, () => it('runs', () => undefined));
    return;
  }
  it(needed, () => {
    throw new Error(needed);
  });
}
