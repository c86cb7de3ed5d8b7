export * from './open-store-reader';
