import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';

/** The key of a server's section that names the authority of its certificate. */
interface CaKeys {
  caFile?: string | undefined;
}

/**
 * Throws `CONFIG_INVALID` when the `ca_file` of a section cannot be read or holds no certificate: TLS clients ignore a file
 * without certificates.
 */
export function assertCaFile({ caFile }: CaKeys, name: string): void {
  if (caFile === undefined) return;
  const pem = read(caFile, name);
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new HistoryError('CONFIG_INVALID', `${name}.ca_file: ${caFile} holds no certificate in PEM`, { cause });
  }
}

function read(path: string, name: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new HistoryError('CONFIG_INVALID', `${name}.ca_file: ${path} cannot be read`, { cause });
  }
}
