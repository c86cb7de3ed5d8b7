export { openLmdbStoreWriter, type LmdbWriterOptions } from './write/open-writer';
