export * from './checked-client';
export * from './raw-connection';
