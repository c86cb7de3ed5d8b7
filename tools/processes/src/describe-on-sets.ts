import { describeWithService, SERVICE_NAMES } from '@antelope-history/servers';
import type { AdapterSet } from './indexed-chain';

/**
 * Defines the test suites of a file once per set of adapters, under Jest. The suites on the distributed set need its
 * servers, as `describeWithService` documents.
 */
export function describeOnSets(name: string, define: (set: AdapterSet) => void): void {
  describe(`${name}, on the embedded set`, () => define('embedded'));
  describeWithService([...SERVICE_NAMES], () => {
    describe(`${name}, on the distributed set`, () => define('distributed'));
  });
}
