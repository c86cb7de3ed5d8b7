export * from './child';
export * from './decoding';
export * from './ingestion';
export * from './service-process';
