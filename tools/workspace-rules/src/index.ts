export * from './app-contents';
export * from './deploy';
export * from './projects';
