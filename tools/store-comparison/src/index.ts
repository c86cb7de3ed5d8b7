export * from './compare-stores';
