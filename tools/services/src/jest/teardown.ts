import { identify, type ProcessIdentity } from '../processes/process-identity';
import { releaseServices } from '../services';
import { listLeftBehind } from './left-behind';

/** Runs once after all test files of a Jest run that needed servers. The run fails when they left something there. */
export default async function teardown(): Promise<void> {
  for (const name of await listLeftBehind()) {
    process.stderr.write(`Left behind by the tests: ${name}\n`);
    process.exitCode = 1;
  }
  await releaseServices(identify(process.pid) as ProcessIdentity);
}
