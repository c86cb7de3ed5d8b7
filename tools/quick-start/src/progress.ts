export { type Progress, ProgressMeter } from './progress-meter';
export { createProgressView, type ProgressView } from './progress-view';
export { stopWithOutput } from './standard-output';
export { withoutControls } from './terminal-text';
