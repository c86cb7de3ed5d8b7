export * from './abortable-sleep';
export * from './backoff';
export * from './connection-trouble';
export * from './listen-address';
