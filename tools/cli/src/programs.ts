import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** A program of the workspace with a command line of its own, which `npm run` starts as well. */
export interface OwnProgram {
  name: string;
  summary: string;
  /** Reads its help, which names its options. Loads the program, which takes longer than the help of all commands. */
  usage: () => Promise<string>;
  /** Its compiled entry point below the root of the workspace. */
  script: string;
}

export const PROGRAMS: readonly OwnProgram[] = [
  {
    name: 'start',
    summary: 'index a chain and serve it, in one process with nothing else installed',
    usage: async () => (await import('./quick-start-usage.js')).START_USAGE,
    script: 'tools/quick-start/dist/main.js',
  },
  {
    name: 'suite',
    summary: 'the same as separate processes on Elasticsearch, RabbitMQ and Redis',
    usage: async () => (await import('./quick-start-usage.js')).SUITE_USAGE,
    script: 'tools/quick-start/dist/suite/main.js',
  },
  {
    name: 'check-config',
    summary: 'try every connection and permission that a configuration needs',
    usage: async () => (await import('./check-config/command-line.js')).USAGE,
    script: 'tools/cli/dist/check-config/main.js',
  },
  {
    name: 'verify',
    summary: 'prove what is stored: ids, roots, sequences, permissions, lists',
    usage: async () => (await import('@antelope-history/store-maintenance')).USAGE,
    script: 'tools/store-maintenance/dist/verify-main.js',
  },
  {
    name: 'repair',
    summary: 'fetch the blocks again that verify found wrong',
    usage: async () => (await import('@antelope-history/store-maintenance')).REPAIR_USAGE,
    script: 'tools/store-maintenance/dist/repair-main.js',
  },
  {
    name: 'backup',
    summary: 'copy the data of the embedded store while the service runs',
    usage: async () => (await import('@antelope-history/store-maintenance')).BACKUP_USAGE,
    script: 'tools/store-maintenance/dist/backup-main.js',
  },
  {
    name: 'snapshot',
    summary: 'save the indices on Elasticsearch, and bring them back',
    usage: async () => (await import('@antelope-history/store-maintenance')).SNAPSHOT_USAGE,
    script: 'tools/store-maintenance/dist/snapshot-main.js',
  },
  {
    name: 'migrate',
    summary: 'complete the data of an earlier version, or of other indexed fields',
    usage: async () => (await import('@antelope-history/store-maintenance')).MIGRATE_USAGE,
    script: 'tools/store-maintenance/dist/migrate-main.js',
  },
  {
    name: 'dead-letters',
    summary: 'list messages that could not be processed, or send them again',
    usage: async () => (await import('./dead-letters/dead-letters.js')).USAGE,
    script: 'tools/cli/dist/dead-letters/main.js',
  },
];

const ROOT = path.resolve(__dirname, '../../..');

/** Runs a program in this process, with `args` as its command line. It sets the exit status itself: resolves with undefined. */
export async function startProgram({ script }: OwnProgram, args: string[]): Promise<undefined> {
  const file = path.join(ROOT, script);
  process.argv.splice(1, process.argv.length, file, ...args);
  await import(pathToFileURL(file).href);
  return undefined;
}
