import { runBrokerContract } from '@antelope-history/broker/contract';
import { MemoryBroker } from '../src';

runBrokerContract({
  name: 'in memory',
  open: async () => {
    const broker = new MemoryBroker();
    return { broker, dispose: () => broker.close() };
  },
  largeBytes: 1_000_000,
  patienceMs: 5,
  durability: { absentBecause: 'nothing outlives the process: the stages start again from the record of the store' },
});
