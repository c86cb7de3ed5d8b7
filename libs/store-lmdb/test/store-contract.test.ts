import { openSample, SAMPLES } from '@antelope-history/recordings';
import { runStoreContract } from '@antelope-history/store/contract';
import { openTemporaryStore } from './temporary-store';

runStoreContract({
  name: 'LMDB',
  open: openTemporaryStore,
  recordings: SAMPLES.map((name) => ({ name, ...openSample(name) })),
});
