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
  restoresOrder: true,
  durability: {
    absentBecause: 'messages do not outlive the process: the stages resume from the progress in the store',
  },
});
