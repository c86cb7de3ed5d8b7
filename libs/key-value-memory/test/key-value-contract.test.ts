import { runKeyValueContract } from '@antelope-history/key-value/contract';
import { MemoryKeyValue } from '../src';

let now = 0;

runKeyValueContract({
  name: 'in memory',
  open: async () => new MemoryKeyValue(() => now),
  pass: async (ms) => {
    now += ms;
  },
});
