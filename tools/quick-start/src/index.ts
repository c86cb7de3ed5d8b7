export { hasEnded, startChild, stopChild } from './child';
export { QuickStartError } from './command-line';
export { ProgressReport } from './progress-report';
export { createProgressView, type ProgressView } from './progress-view';
export { startReplay, type Replay } from './replay';
export { readMetric, ServiceClient } from './service-client';
export { ERROR, parseLogLine, ServiceLogFile, WARN, type LogEntry } from './service-log';
export { recordingSource, requireFreePort, sampleSource, type Source } from './setup';
