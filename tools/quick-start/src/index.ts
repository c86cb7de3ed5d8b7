export { QuickStart } from './quick-start';
export { StackCommand } from './stack/stack-command';
