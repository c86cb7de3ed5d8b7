export {
  lmdbChecks,
  lmdbRoomCheck,
  readLmdbStatus,
  type LmdbCheckOptions,
  type LmdbRoomOptions,
} from './check/check-lmdb';
