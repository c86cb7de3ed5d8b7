export { compareRecording } from './conformance';
export { renderReport, readReport, writeReport } from './report';
export type { Outcome } from './tally';
