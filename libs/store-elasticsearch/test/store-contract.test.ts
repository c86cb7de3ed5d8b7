import { openSample, type SampleName, SAMPLES } from '@antelope-history/test-support/recordings';
import { describeWithService } from '@antelope-history/servers';
import { FULL_SIZE, runStoreContract, SMALL_SIZE } from '@antelope-history/store/contract';
import { testSize } from '@antelope-history/test-support/random';
import { TemporaryStore } from './temporary-store';

/** The forks and states of the others are in these two; the conformance tests index all samples. */
const RECORDINGS = testSize<readonly SampleName[]>({ usual: ['leap-edge', 'leap-snapshot'], long: SAMPLES });

describeWithService(['elasticsearch'], (url) => {
  runStoreContract({
    name: 'Elasticsearch',
    open: () => TemporaryStore.open(url),
    divided: [
      { by: 'block numbers', open: () => TemporaryStore.open(url, { blocksPerIndex: 3 }) },
      {
        by: 'block numbers and actions',
        open: () => TemporaryStore.open(url, { blocksPerIndex: 10, actionsPerIndex: 6 }),
      },
    ],
    recordings: RECORDINGS.map((name) => ({ name, ...openSample(name) })),
    size: testSize({ usual: SMALL_SIZE, long: FULL_SIZE }),
    writers: 'many',
    remote: {
      because: 'every call is a few requests, and every store is ten indices that the cluster has to make and delete',
      timeFactor: testSize({ usual: 4, long: 40 }),
    },
  });
});
