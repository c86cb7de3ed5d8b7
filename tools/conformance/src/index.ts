export { compareRecording } from './conformance';
export { NAMED_REASONS } from './named-reasons';
export { renderReport, storedReport } from './report';
export { ALL_REQUESTS, type Share } from './served-recording';
export type { Outcome } from './tally';
