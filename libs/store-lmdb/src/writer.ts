export { openLmdbStoreRepairer, openLmdbStoreWriter, type LmdbWriterOptions } from './write/open-writer';
