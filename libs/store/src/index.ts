export * from './account-traces';
export * from './actions-page';
export * from './history-store';
export * from './list-check';
export * from './migration';
export * from './stored';
export * from './too-many-accounts';
