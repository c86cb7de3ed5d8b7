export { AppLogFile, ERROR, type LogEntry, parseLogLine, WARN } from './app-log';
export { type AppOptions, type AppProcess, startApp } from './app-process';
export { CommandLineError, parseChoice, parseNumber, parseOptions, runCommand } from './command-line';
export { describeOnSets } from './describe-on-sets';
export {
  ADAPTER_SETS,
  type AdapterSet,
  type IndexedChain,
  type IndexedSuite,
  parseAdapterSet,
  startIndexedChain,
  startIndexedSuite,
} from './indexed-chain';
export { type IndexedService, startIndexedService } from './indexed-service';
export { type ListeningApp, startListeningApp } from './listening-app';
export { anonymousMemory, currentMemory, peakMemory } from './process-memory';
export { hasEnded, type ProgramOptions, readLines, startProgram, stop } from './program';
export { type Replay, startReplay } from './replay';
export { NoResponseError, readMetric, ServiceClient, type ServiceFigures } from './service-client';
export { serviceEnvironment, startService, untilCommitted, type ServiceProcess } from './service-process';
export { API_NAMES, APP_NAMES, type AppName } from './suite/apps';
export { createDistributedSet, type DistributedSet } from './suite/distributed-set';
export { startSuite, type Suite, type SuiteOptions } from './suite/suite';
export type { SuiteProgress } from './suite/suite-progress';
export { SupervisedApp, type SupervisedAppOptions } from './suite/supervised-app';
export { StartError } from './start-error';
