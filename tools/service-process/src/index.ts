export { currentMemory, firstLine, outputLines, peakMemory, startProgram, stop } from './child';
export { type IndexedService, startIndexedService } from './indexed-service';
export { startReplay } from './replay-process';
export { startService, untilCommitted, type ServiceProcess } from './service-process';
