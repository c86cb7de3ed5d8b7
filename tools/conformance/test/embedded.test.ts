import { testSize } from '@antelope-history/test-support/random';
import { SAMPLES } from '@antelope-history/test-support/recordings';
import { compareAll, EVERYTHING, type Extent } from './compare-all';

/**
 * Every recorded response, and every block, transaction, row and key of the chains. The store contract has sent all forms of
 * queries to the store: of the derived queries a share goes through the whole service.
 */
const EXTENT = testSize<Extent>({
  usual: { samples: SAMPLES, share: { items: 1, queries: 13, forms: 16 } },
  long: EVERYTHING,
});

compareAll('embedded', EXTENT);
