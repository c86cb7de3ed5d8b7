export * from './http-client';
export * from './known-failures';
export * from './raw';
export * from './run-fuzz';
