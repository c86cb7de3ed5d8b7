import { openSample, SAMPLES } from '@antelope-history/test-support/recordings';
import { FULL_SIZE, runStoreContract } from '@antelope-history/store/contract';
import { openTemporaryStore } from './temporary-store';

runStoreContract({
  name: 'LMDB',
  open: openTemporaryStore,
  size: FULL_SIZE,
  writers: { oneBecause: 'an embedded store is written by the process that holds its lock' },
  remote: undefined,
  recordings: SAMPLES.map((name) => ({ name, ...openSample(name) })),
});
