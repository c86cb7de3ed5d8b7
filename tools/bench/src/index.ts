export * from './decoding';
export * from './ingestion';
export * from './pages';
