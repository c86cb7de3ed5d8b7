export { QuickStart } from './quick-start';
export { SuiteCommand } from './suite/suite-command';
