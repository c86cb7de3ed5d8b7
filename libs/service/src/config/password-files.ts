import { readFileSync } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';

/** What a server's section says of its password. */
interface PasswordKeys {
  password?: string | undefined;
  passwordFile?: string | undefined;
}

/**
 * The section with the password that its `password_file` holds, without the line end that editors leave. Throws
 * `CONFIG_INVALID` when the file cannot be read or holds nothing, or when the password is given twice.
 */
export function withPasswordFromFile<T extends PasswordKeys>(section: T, name: string): T {
  const { passwordFile } = section;
  if (passwordFile === undefined) return section;
  if (section.password !== undefined) {
    throw new HistoryError('CONFIG_INVALID', `${name}: takes password or password_file, not both`);
  }
  const password = readPassword(passwordFile, name);
  if (password === '') throw new HistoryError('CONFIG_INVALID', `${name}.password_file: ${passwordFile} is empty`);
  return { ...section, password };
}

function readPassword(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new HistoryError('CONFIG_INVALID', `${name}.password_file: ${path} can not be read`, { cause });
  }
}
