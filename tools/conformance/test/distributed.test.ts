import { describeWithService, SERVICE_NAMES } from '@antelope-history/servers';
import { testSize } from '@antelope-history/test-support/random';
import { compareAll, EVERYTHING, type Extent } from './compare-all';

/**
 * The embedded set answers requests for every item in the same run. The sets differ in their stores alone, which the store
 * contract compares query by query: here a share of the requests, with the whole chain behind it, shows that they are put
 * together right. Of the other recordings, apps/e2e asks leap-edge on both sets.
 */
const EXTENT = testSize<Extent>({
  usual: {
    samples: ['eosio20-edge', 'spring-savanna'],
    share: { items: 23, queries: 7, forms: 7 },
  },
  long: EVERYTHING,
});

describeWithService([...SERVICE_NAMES], () => compareAll('distributed', EXTENT));
