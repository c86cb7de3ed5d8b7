export { checkConfig, type CheckConfigHost } from './check-config';
