import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { rootCertificates } from 'node:tls';

/** The folders of passwords and certificates in the configurations of `deploy/`. */
const FOLDERS = /\/(run\/secrets|etc\/antelope-history(\/passwords)?)\//g;
const PASSWORD_FILES = [
  'elasticsearch-password',
  'history-reader-password',
  'history-writer-password',
  'rabbitmq-password',
  'redis-password',
];

/** Runs `use` while these files exist in a temporary folder; `toLocal` maps their paths there. */
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
