import { loadConfig, parseOptions } from '@antelope-history/app-runtime';
import { ProgressMeter } from '@antelope-history/quick-start/progress';
import type { MigrationControl, StoreMigration } from '@antelope-history/store';
import { migrateElasticsearch } from '@antelope-history/store-elasticsearch/migrate';
import { migrateLmdb } from '@antelope-history/store-lmdb/migrate';
import { requireData } from './require-data';
import type { CommandHost } from './run-program';

export const MIGRATE_USAGE = `npm run migrate -- [--config FILE] [--json]

Adds to the data of an earlier version what it lacks, from the blocks that are stored: what the positions of the original
history plugin need, and the values of the fields of index.data_fields that were not indexed from the first block on. Every
version reads and continues the data of 4.1.0 without this; only these two kinds of queries need it. No node is asked.

Embedded store: stop the service first, because data has one writer. Elasticsearch: stop the indexers of the earlier version;
those of this version may run, also meanwhile.

Ctrl-C ends it, and the same command continues. Queries use the data as it was until the last step.

--json prints one JSON object at the end.

Exit status: 0 nothing is missing any more, 1 interrupted by Ctrl-C, 2 it could not run.
`;

/** Resolves with the exit status. Rejects with `CONFIG_INVALID`, and as `migrateLmdb` and `migrateElasticsearch`. */
export async function runMigrate({ args, environment, print, progress, signal }: CommandHost): Promise<number> {
  const { config: file, json, help } = parseCommandLine(args);
  if (help) {
    print(MIGRATE_USAGE);
    return 0;
  }
  const { store, index } = loadConfig(environment, { file, uses: ['store'] });
  requireData(store);
  const meter = new ProgressMeter();
  const control: MigrationControl = {
    signal,
    onProgress({ firstBlock, block, lastBlock: target, actions }) {
      const sample = { atMs: Date.now(), block, blocks: block - firstBlock, actions };
      progress.show(meter.measure(sample, { firstBlock, target }));
    },
  };
  const { dataFields } = index;
  const migration =
    store.kind === 'lmdb'
      ? await migrateLmdb({ ...store.lmdb, dataFields, ...control })
      : await migrateElasticsearch({ ...store.elasticsearch, dataFields, ...control });
  progress.close();
  const { traces, fields, actions, isComplete: complete } = migration;
  print(json ? JSON.stringify({ complete, actions, positions: traces, data_fields: fields }) : describe(migration));
  return complete ? 0 : 1;
}

function describe({ traces, fields, actions, isComplete }: StoreMigration): string {
  const lists = [...(traces ? ['positions of the history plugin'] : []), ...fields];
  if (lists.length === 0) return 'nothing is missing';
  if (!isComplete) return `interrupted after ${actions} actions: the same command continues`;
  return `${actions} actions read; indexed from the first block on: ${lists.join(', ')}`;
}

function parseCommandLine(args: string[]) {
  const flag = { type: 'boolean', default: false } as const;
  return parseOptions(args, { config: { type: 'string' }, json: flag, help: flag });
}
