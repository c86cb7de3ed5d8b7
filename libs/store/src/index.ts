export * from './actions-page';
export * from './history-store';
export * from './stored';
