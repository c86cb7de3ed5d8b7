import { describeMissing } from '../describe-missing';
import { identify, type ProcessIdentity } from '../processes/process-identity';
import { serviceEnvironment } from '../service-environment';
import type { ServiceName } from '../service-name';
import { holdServices, releaseServices } from '../services';
import { rememberContents } from './left-behind';

/**
 * Jest's global set-up for projects that need these servers. Jest's workers inherit its environment. Each set of servers
 * has a file of its own, because Jest runs a set-up file once, however many projects name it.
 */
export function setUp(names: readonly ServiceName[]): () => Promise<void> {
  const say = (line: string): unknown => process.stderr.write(`${line}\n`);
  return async () => {
    const holder = identify(process.pid) as ProcessIdentity;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        void releaseServices(holder).finally(() => process.kill(process.pid, signal));
      });
    }
    const services = await holdServices(names, holder, say);
    Object.assign(process.env, serviceEnvironment(services));
    for (const line of describeMissing(services)) say(line);
    await rememberContents(services);
  };
}
