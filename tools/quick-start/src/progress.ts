export { type Progress, ProgressMeter } from './progress-meter';
export { createProgressView, type ProgressView } from './progress-view';
export { withoutControls } from './terminal-text';
