export * from './app-contents';
export * from './deploy';
export * from './nx-command';
export * from './projects';
