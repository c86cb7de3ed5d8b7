export * from './check';
export * from './check-server-clock';
export * from './to-finding';
