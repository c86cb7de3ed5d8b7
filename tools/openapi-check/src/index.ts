export * from './answer-check';
