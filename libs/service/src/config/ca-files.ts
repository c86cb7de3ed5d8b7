import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';

/** What a server's section says of who signed its certificate. */
interface CaKeys {
  caFile?: string | undefined;
}

/** Throws `CONFIG_INVALID` when the `ca_file` of a section cannot be read or holds no certificate: TLS would not say so. */
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
    throw new HistoryError('CONFIG_INVALID', `${name}.ca_file: ${path} can not be read`, { cause });
  }
}
