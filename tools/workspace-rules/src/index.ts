export * from './app-contents';
export * from './projects';
