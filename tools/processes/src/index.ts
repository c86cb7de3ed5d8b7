export { AppLogFile, ERROR, type LogEntry, parseLogLine, WARN } from './app-log';
export { type AppOptions, type AppProcess, startApp } from './app-process';
export { CommandLineError, parseChoice, parseNumber, parseOptions, runCommand } from './command-line';
export { describeOnSets } from './describe-on-sets';
export {
  ADAPTER_SETS,
  type AdapterSet,
  type IndexedChain,
  type IndexedStack,
  parseAdapterSet,
  startIndexedChain,
  startIndexedStack,
} from './indexed-chain';
export { type IndexedService, startIndexedService } from './indexed-service';
export { type ListeningApp, startListeningApp } from './listening-app';
export { anonymousMemory, currentMemory, peakMemory } from './process-memory';
export { hasEnded, type ProgramOptions, readLines, startProgram, stop } from './program';
export { type Replay, startReplay } from './replay';
export { NoResponseError, readMetric, ServiceClient, type ServiceFigures } from './service-client';
export { serviceEnvironment, startService, untilCommitted, type ServiceProcess } from './service-process';
export { API_NAMES, APP_NAMES, type AppName } from './stack/apps';
export { createDistributedSet, type DistributedSet } from './stack/distributed-set';
export { startStack, type Stack, type StackOptions } from './stack/stack';
export type { StackFigures } from './stack/stack-figures';
export { SupervisedApp, type SupervisedAppOptions } from './stack/supervised-app';
export { StartError } from './start-error';
