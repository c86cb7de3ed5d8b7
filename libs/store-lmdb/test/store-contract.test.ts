import { testSize } from '@antelope-history/test-support/random';
import { openSample, SAMPLES } from '@antelope-history/test-support/recordings';
import { FULL_SIZE, MEDIUM_SIZE, runStoreContract } from '@antelope-history/store/contract';
import { openTemporaryStore } from './temporary-store';

runStoreContract({
  name: 'LMDB',
  open: openTemporaryStore,
  size: testSize({ usual: MEDIUM_SIZE, long: FULL_SIZE }),
  writers: { oneBecause: 'an embedded store is written by the process that holds its lock' },
  remote: undefined,
  recordings: SAMPLES.map((name) => ({ name, ...openSample(name) })),
});
