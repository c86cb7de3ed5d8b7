import { HistoryError } from '@antelope-history/schemas';
import { type ConfigKey, variableOf } from './config-keys';
import { getAt, removeAt, setAt, type Settings } from './settings';

/** Keys by their former names, which are still read: former name → present name. */
const RENAMED_KEYS = new Map([
  ['store.path', 'store.lmdb.path'],
  ['store.map_size_bytes', 'store.lmdb.map_size_bytes'],
]);

export interface RenamedKey {
  former: ConfigKey;
  present: ConfigKey;
}

/** The former names as keys, each with the key that replaces it. */
export function listRenamedKeys(keys: readonly ConfigKey[]): RenamedKey[] {
  return keys.flatMap((present) =>
    [...RENAMED_KEYS]
      .filter(([, name]) => name === present.name)
      .map(([former]) => ({ former: { ...present, name: former, variable: variableOf(former) }, present })),
  );
}

/**
 * Moves values of former names to their present ones, in the settings of one source (file or environment), and returns the
 * names that were moved. Throws `CONFIG_INVALID` when the source gives both names with different values: which of the two is
 * outdated is unknown.
 */
export function moveRenamedKeys(settings: Settings, renamed: RenamedKey[]): RenamedKey[] {
  return renamed.filter(({ former, present }) => {
    const value = getAt(settings, former.name.split('.'));
    if (value === undefined) return false;
    const presentPath = present.name.split('.');
    const presentValue = getAt(settings, presentPath);
    if (presentValue !== undefined && presentValue !== value) {
      throw new HistoryError(
        'CONFIG_INVALID',
        `${former.name} (${former.variable}) and ${present.name} (${present.variable}) have different values; ` +
          `${former.name} is the former name of ${present.name}: remove it`,
      );
    }
    removeAt(settings, former.name.split('.'));
    setAt(settings, presentPath, value);
    return true;
  });
}

/** One line for the log that names the present key of each former one. */
export function describeRenamedKeys(moved: RenamedKey[]): string {
  const changes = moved.map(
    ({ former, present }) => `${former.name} (${former.variable}) is now ${present.name} (${present.variable})`,
  );
  return `configuration keys were renamed, and the former names are still read: ${changes.join('; ')}`;
}
