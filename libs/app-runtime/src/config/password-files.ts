import { readFileSync } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';

/** The keys of a server's section that give its password. */
interface PasswordKeys {
  password?: string | undefined;
  passwordFile?: string | undefined;
}

/** Throws `CONFIG_INVALID` when a section has both `password` and `password_file`; opens no file. */
export function assertOnePassword({ password, passwordFile }: PasswordKeys, name: string): void {
  if (password !== undefined && passwordFile !== undefined) {
    throw new HistoryError('CONFIG_INVALID', `${name}: takes password or password_file, not both`);
  }
}

/**
 * The section with the password from its `password_file`, without the line end that editors add. Throws `CONFIG_INVALID`
 * when the file cannot be read or is empty.
 */
export function withPasswordFromFile<T extends PasswordKeys>(section: T, name: string): T {
  const { passwordFile } = section;
  if (passwordFile === undefined) return section;
  const password = readPassword(passwordFile, name);
  if (password === '') throw new HistoryError('CONFIG_INVALID', `${name}.password_file: ${passwordFile} is empty`);
  return { ...section, password };
}

function readPassword(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new HistoryError('CONFIG_INVALID', `${name}.password_file: ${path} cannot be read`, { cause });
  }
}
