export * from './backoff';
export * from './check';
export * from './check-clock';
export * from './connection-trouble';
