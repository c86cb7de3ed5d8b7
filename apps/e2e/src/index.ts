export * from './app-process';
export * from './checked-client';
export * from './raw-connection';
