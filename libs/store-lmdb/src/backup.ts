export { backUpLmdb, type LmdbBackup, type LmdbBackupOptions } from './backup/back-up-lmdb';
