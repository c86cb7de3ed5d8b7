export { USAGE } from './command-line';
export { checkConfig, type CheckConfigHost } from './check-config';
