export { openLmdbStoreReader, type LmdbReaderOptions } from './read/open-reader';
