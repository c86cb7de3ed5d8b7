import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { rootCertificates } from 'node:tls';

/** Where the configurations of `deploy/` look for passwords and certificates on a machine that has them. */
const FOLDERS = /\/(run\/secrets|etc\/antelope-history(\/passwords)?)\//g;
const PASSWORD_FILES = [
  'elasticsearch-password',
  'history-reader-password',
  'history-writer-password',
  'rabbitmq-password',
  'redis-password',
];

/** Runs `use` while these files are there in a folder of this run; `toLocal` makes names of theirs ours. */
export function withFiles<T>(use: (toLocal: (text: string) => string) => T): T {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-deploy-'));
  try {
    for (const name of PASSWORD_FILES) writeFileSync(path.join(folder, name), 'secret\n');
    writeFileSync(path.join(folder, 'ca.pem'), rootCertificates[0] ?? '');
    writeFileSync(path.join(folder, 'empty.json'), '{}');
    return use((text) => (text === 'empty.json' ? path.join(folder, text) : text.replace(FOLDERS, `${folder}/`)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
