export * from './read-event-stream';
export * from './read-web-socket';
