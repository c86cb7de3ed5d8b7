export * from './actions-page';
export * from './compose-store';
export * from './history-store';
export * from './stored';
