export { USAGE as START_USAGE } from './command-line';
export { USAGE as SUITE_USAGE } from './suite/command-line';
