import { describeWithService, SERVICE_NAMES } from '@antelope-history/servers';
import { testSize } from '@antelope-history/test-support/random';
import { compareAll } from './compare-all';

/**
 * The embedded set answers every request in the same run. The sets differ in their stores alone, which the store contract
 * compares query by query: here a share of the requests, with the whole chain behind it, shows that they are put together right.
 */
const STRIDE = testSize({ usual: 12, long: 1 });

describeWithService([...SERVICE_NAMES], () => compareAll('distributed', STRIDE));
