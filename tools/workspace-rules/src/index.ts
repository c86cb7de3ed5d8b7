export * from './projects';
