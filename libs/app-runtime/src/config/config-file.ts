import { readFileSync } from 'node:fs';
import { type ParseError, parse, printParseErrorCode, visit } from 'jsonc-parser';
import { HistoryError } from '@antelope-history/schemas';
import { getAt, type Settings } from './settings';

const DEFAULT_PATH = 'config.json';
/** Far above any configuration: what a longer file says about each of its keys would take minutes and fill the log. */
const MAX_BYTES = 1024 * 1024;

export interface ConfigFile {
  /** Undefined when there is no file: none was named, and the default one does not exist. */
  path: string | undefined;
  settings: Settings;
}

/**
 * Reads the file that `--config` names, otherwise `config.json` if it exists. Throws `CONFIG_INVALID` with the file's name and
 * the reason, for text that is not JSON with the line and column.
 */
export function readConfigFile(named: string | undefined): ConfigFile {
  const path = named ?? DEFAULT_PATH;
  if (named !== undefined) return { path, settings: readJsonObject(path, `--config: ${path}`) };
  try {
    return { path, settings: readJsonObject(path) };
  } catch (error) {
    if (!isMissing(error)) throw error;
    return { path: undefined, settings: {} };
  }
}

/**
 * Reads a JSON object from a file of the operator. Throws `CONFIG_INVALID` with the reason, for text that is not JSON with the line
 * and column, and never with the text, which may hold a password. `shown` names a file that cannot be read.
 */
export function readJsonObject(path: string, shown = path): Settings {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code);
    throw new HistoryError('CONFIG_INVALID', `${shown} cannot be read: ${REASONS[code] ?? code}`, { cause });
  }
  if (content.length > MAX_BYTES)
    throw new HistoryError('CONFIG_INVALID', `${path} has more than ${MAX_BYTES} bytes: it is no configuration`);
  return parseSettings(content.toString('utf8'), path);
}

function isMissing(error: unknown): boolean {
  return error instanceof HistoryError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

/** Whether a configuration file sets a key, such as `ship.urls`. Throws as `readConfigFile`. */
export function configFileSets(path: string, key: string): boolean {
  return getAt(readConfigFile(path).settings, key.split('.')) !== undefined;
}

const REASONS: Partial<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a directory',
};

function parseSettings(text: string, path: string): Settings {
  // A byte order mark, which some editors write.
  const json = text.replace(/^\uFEFF/, '');
  let settings: unknown;
  try {
    settings = JSON.parse(json);
  } catch {
    throw new HistoryError('CONFIG_INVALID', `${path} is not JSON: ${findMistake(json)}`);
  }
  if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) {
    assertNamedOnce(json, path);
    return settings as Settings;
  }
  throw new HistoryError('CONFIG_INVALID', `${path} must contain a JSON object`);
}

/** `JSON.parse` would take the last of several values: those of a section that is in the file twice would be lost without a word. */
function assertNamedOnce(json: string, path: string): void {
  const names = new Set<string>();
  let twice: string | undefined;
  const isRead = readsWithoutOverflow(() => {
    visit(json, {
      onObjectProperty: (name, _offset, _length, _line, _column, pathOf) => {
        const key = [...pathOf(), name].join('.');
        if (names.has(key)) twice ??= key;
        names.add(key);
      },
    });
  });
  if (!isRead) throw new HistoryError('CONFIG_INVALID', `${path} is nested too deeply`);
  if (twice !== undefined) throw new HistoryError('CONFIG_INVALID', `${path}: ${twice} is in the file more than once`);
}

/** The parser calls itself for each level. */
function readsWithoutOverflow(read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Not the error of `JSON.parse`: it shows the text around the mistake, which may hold a password, and often no position. */
function findMistake(json: string): string {
  const errors: ParseError[] = [];
  const read = (): void => void parse(json, errors, { disallowComments: true, allowTrailingComma: false });
  if (!readsWithoutOverflow(read)) return 'it is nested too deeply';
  const [first] = errors;
  if (!first) return 'a value is not written as JSON demands';
  const before = json.slice(0, first.offset).split('\n');
  return `${inWords(printParseErrorCode(first.error))} at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** `CommaExpected` → `comma expected` */
function inWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
