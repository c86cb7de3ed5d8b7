import { openSample, SAMPLES } from '@antelope-history/test-support/recordings';
import { describeWithService } from '@antelope-history/services';
import { runStoreContract } from '@antelope-history/store/contract';
import { TemporaryStore } from './temporary-store';

describeWithService(['elasticsearch'], (url) => {
  runStoreContract({
    name: 'Elasticsearch',
    open: () => TemporaryStore.open(url),
    recordings: SAMPLES.map((name) => ({ name, ...openSample(name) })),
    writers: 'many',
    remote: {
      because: 'every call is a few requests, and every store is ten indices that the cluster has to make and delete',
      chains: 6,
      timeFactor: 4,
    },
  });
});
