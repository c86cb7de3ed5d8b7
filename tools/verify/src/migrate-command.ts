import { parseArgs } from 'node:util';
import { loadConfig } from '@antelope-history/app-runtime';
import { ProgressMeter } from '@antelope-history/quick-start/progress';
import { HistoryError } from '@antelope-history/schemas';
import { type LmdbMigration, migrateLmdb } from '@antelope-history/store-lmdb/migrate';
import { parseOptions } from './command-line';
import type { CommandHost } from './verify-command';

export const MIGRATE_USAGE = `npm run migrate -- [--config FILE] [--json]

Writes the lists that the data of an earlier version lacks, from the blocks that are stored: those of the positions of the
original history plugin, and those of the fields of index.data_fields that were not indexed from the first block on. Every
version reads and continues the data of 4.1.0 without this; only these two kinds of queries need it. No node is asked.

Stop the service first: data has one writer. Ctrl-C ends it after the commit in progress, and the same command continues; the
service may run meanwhile, with the data as it was.

--json prints one JSON object at the end.

Exit status: 0 nothing is missing any more, 1 interrupted by Ctrl-C, 2 it could not run.
`;

/** Resolves with the exit status. Rejects with `CONFIG_INVALID`, and as `migrateLmdb`. */
export async function runMigrate({ args, environment, print, progress, signal }: CommandHost): Promise<number> {
  const { config: file, json, help } = parseCommandLine(args);
  if (help) {
    print(MIGRATE_USAGE);
    return 0;
  }
  const { store, index } = loadConfig(file === undefined ? [] : ['--config', file], environment, { uses: ['store'] });
  if (store.kind !== 'lmdb') {
    throw new HistoryError('CONFIG_INVALID', 'store.kind: only the embedded store has lists that can be missing');
  }
  const meter = new ProgressMeter();
  const migration = await migrateLmdb({
    ...store.lmdb,
    dataFields: index.dataFields,
    signal,
    onProgress({ firstBlock, block, lastBlock: target, actions }) {
      const sample = { atMs: Date.now(), block, blocks: block - firstBlock, actions };
      progress.show(meter.measure(sample, { firstBlock, target }));
    },
  });
  progress.close();
  const { traces, fields, actions, isComplete: complete } = migration;
  print(json ? JSON.stringify({ complete, actions, positions: traces, data_fields: fields }) : describe(migration));
  return complete ? 0 : 1;
}

function describe({ traces, fields, actions, isComplete }: LmdbMigration): string {
  const lists = [...(traces ? ['positions of the history plugin'] : []), ...fields];
  if (lists.length === 0) return 'nothing is missing';
  if (!isComplete) return `interrupted after ${actions} actions: the same command continues`;
  return `${actions} actions read; indexed from the first block on: ${lists.join(', ')}`;
}

function parseCommandLine(args: string[]) {
  const flag = { type: 'boolean', default: false } as const;
  return parseOptions(
    () => parseArgs({ args, options: { config: { type: 'string' }, json: flag, help: flag } }).values,
  );
}
