export * from './open-backends';
