import { describeWithService, SERVICE_NAMES } from '@antelope-history/servers';
import { testSize } from '@antelope-history/test-support/random';
import { compareAll } from './compare-all';

/** The embedded set answers all derived queries; Elasticsearch's own part is the same store contract, so a share is enough. */
const QUERY_STEP = testSize({ usual: 10, long: 1 });

describeWithService([...SERVICE_NAMES], () => compareAll('distributed', QUERY_STEP));
