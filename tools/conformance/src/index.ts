export { compareRecording } from './conformance';
export { NAMED_REASONS } from './named-reasons';
export { readReport, renderReport, writeReport } from './report';
export type { Outcome } from './tally';
