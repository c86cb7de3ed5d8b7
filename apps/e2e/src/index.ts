export * from './checked-client';
