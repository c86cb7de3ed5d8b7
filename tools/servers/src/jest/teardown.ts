import { identify, type ProcessIdentity } from '../processes/process-identity';
import { releaseServices } from '../services';
import { listLeftBehind } from './left-behind';

/** Jest's global teardown. The run fails when tests left contents on the servers. */
export default async function teardown(): Promise<void> {
  for (const name of await listLeftBehind()) {
    process.stderr.write(`Left behind by the tests: ${name}\n`);
    process.exitCode = 1;
  }
  await releaseServices(identify(process.pid) as ProcessIdentity);
}
