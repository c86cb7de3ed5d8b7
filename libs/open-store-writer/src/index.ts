export * from './open-store-writer';
