export * from './decoding';
export * from './ingestion';
