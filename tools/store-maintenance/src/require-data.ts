import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';

/** Where `npm start` has a directory per source. */
const START_FOLDER = path.resolve(__dirname, '../../../data');
/** The default of `store.lmdb.path`. */
const DEFAULT_PATH = './data';

/**
 * Throws `CONFIG_INVALID` when the default directory of the embedded store has no data: `npm start` without a configuration keeps its
 * data elsewhere, in `folder`.
 */
export function requireData({ kind, lmdb }: Pick<Config['store'], 'kind' | 'lmdb'>, folder = START_FOLDER): void {
  if (kind !== 'lmdb' || lmdb.path !== DEFAULT_PATH || hasData(lmdb.path)) return;
  const started = listFolders(folder).filter(hasData);
  const here = started.length === 0 ? '' : `; npm start has its data in ${started.join(', ')}`;
  throw new HistoryError(
    'CONFIG_INVALID',
    `there is no data in ${lmdb.path}: name its directory with HISTORY_STORE__LMDB__PATH=DIR or a configuration with ` +
      `--config FILE${here}`,
  );
}

function listFolders(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
}

function hasData(folder: string): boolean {
  return existsSync(path.join(folder, 'data.mdb'));
}
