export { AppProcess, type AppOptions } from './app-process';
export { API_KINDS, APP_KINDS, type AppKind } from './apps';
export { describeOnSets } from './describe-on-sets';
export { createDistributedSet, type DistributedSet } from './distributed-set';
export {
  ADAPTER_SETS,
  type AdapterSet,
  type IndexedChain,
  type IndexedSuite,
  parseAdapterSet,
  startIndexedChain,
  startIndexedSuite,
} from './indexed-suite';
export { startSuite, type Suite, type SuiteOptions } from './suite';
export type { SuiteFigures } from './suite-figures';
