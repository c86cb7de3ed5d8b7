import { describeWithService, SERVICE_NAMES } from '@antelope-history/services';
import type { AdapterSet } from './indexed-suite';

/**
 * Runs a test file's suites once per set of adapters; those on the distributed set need its servers, as
 * `describeWithService` says. It needs Jest.
 */
export function describeOnSets(name: string, define: (set: AdapterSet) => void): void {
  describe(`${name}, on the embedded set`, () => define('embedded'));
  describeWithService([...SERVICE_NAMES], () => {
    describe(`${name}, on the distributed set`, () => define('distributed'));
  });
}
