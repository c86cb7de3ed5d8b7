export * from './read-event-stream';
