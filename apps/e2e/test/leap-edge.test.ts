import { describeOnSets, type IndexedChain, startIndexedChain } from '@antelope-history/processes';
import { testSize } from '@antelope-history/test-support/random';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { describeDataFilters, FIELDS } from './data-filter-cases';
import { describeErrors } from './error-cases';
import { describeFinality } from './finality-cases';
import { describeLeapClients } from './leap-client-cases';
import { describePaging } from './paging-cases';
import { describeRequests } from './request-cases';

/** All cases are in one file because starting a set of adapters takes as long as hundreds of requests. */
describeOnSets('a service that indexed leap-edge', (set) => {
  /** The sets differ in their stores, for which the endpoints are the same: a share of the requests shows that they are joined right. */
  const stride = set === 'embedded' ? 1 : testSize<1 | 5>({ usual: 5, long: 1 });
  let service: IndexedChain;
  beforeAll(async () => {
    const environment = { HISTORY_INDEX__DATA_FIELDS: FIELDS.join() };
    // Scaled, so that requests come to different processes of an API.
    service = await startIndexedChain(set, sampleFolder('leap-edge'), { environment, scaled: true });
  }, 180_000);
  afterAll(() => service.stop());
  const url = (): string => service.url;

  describe('request bodies', () => describeRequests(url));
  describe('errors', () => describeErrors(url));
  describe('clients', () => describeLeapClients(url, stride));
  describe('pages and bounds', () => describePaging(url, stride));
  describe('the headers of final responses', () => describeFinality(url));
  describe('filters on action data', () => describeDataFilters(url));
});
