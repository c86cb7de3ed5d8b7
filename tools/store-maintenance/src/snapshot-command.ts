import { loadConfig, parseOptions } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import {
  createSnapshot,
  type ElasticsearchOptions,
  listSnapshots,
  restoreSnapshot,
  type StoreSnapshot,
} from '@antelope-history/store-elasticsearch/snapshot';
import type { CommandHost } from './run-program';

export const SNAPSHOT_USAGE = `npm run snapshot -- --repository REPOSITORY --create NAME [--config FILE] [--json]
npm run snapshot -- --repository REPOSITORY --restore NAME [--config FILE] [--json]
npm run snapshot -- --repository REPOSITORY --list [--config FILE] [--json]

Saves all indices of the store on Elasticsearch (store.elasticsearch.index_prefix) as one snapshot in a snapshot repository of the
cluster, and brings them back. The user needs the cluster's privilege "manage": pass the one of an administrator in
HISTORY_STORE__ELASTICSEARCH__USERNAME and HISTORY_STORE__ELASTICSEARCH__PASSWORD. A second snapshot in a repository stores what
has changed since the first.

--create needs the indexing side to be stopped; the APIs may run. A snapshot during which anything was written is deleted
again, because its indices would be of different moments, and so is one that Ctrl-C interrupts. When the program was killed, the
same command waits for the snapshot that the cluster still makes, and says whether it has all that the store has.
--restore needs all apps to be stopped and the indices to be deleted; it never replaces any. The apps then continue after the
block that it prints, so the node must still have the blocks after it. Until then the indices cannot be read or written; after a
restore that was killed, delete them and restore again.

Exit status: 0 done, 2 not done.
`;

/** A subset of the names that Elasticsearch takes: none of them is a pattern. */
const SNAPSHOT_NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/** Resolves with the exit status. Rejects with `CONFIG_INVALID`, and as `createSnapshot` and `restoreSnapshot`. */
export async function runSnapshot({ args, environment, print, progress, signal }: CommandHost): Promise<number> {
  const { config: file, repository, create, restore, list, json, help } = parseCommandLine(args);
  if (help) {
    print(SNAPSHOT_USAGE);
    return 0;
  }
  if ([create, restore, list || undefined].filter((each) => each !== undefined).length !== 1) {
    throw new HistoryError('CONFIG_INVALID', 'the command line: give one of --create NAME, --restore NAME and --list');
  }
  const name = create ?? restore;
  if (name !== undefined && !SNAPSHOT_NAME.test(name)) {
    throw new HistoryError('CONFIG_INVALID', 'a snapshot name has lower-case letters, digits, dots, - and _');
  }
  const { store } = loadConfig(environment, { file, uses: ['store'] });
  if (store.kind !== 'elasticsearch') {
    throw new HistoryError('CONFIG_INVALID', 'store.kind: npm run backup copies the embedded store');
  }
  if (repository === undefined) throw new HistoryError('CONFIG_INVALID', 'name the repository: --repository NAME');
  const onProgress = createShardProgress((line) => progress.print(line), json);
  const found = await run(store.elasticsearch, { repository, create, restore, onProgress, signal });
  progress.close();
  for (const each of found) print(json ? JSON.stringify(toJson(each)) : describe(each, restore !== undefined));
  if (found.length === 0 && !json) print(`the repository ${repository} has no snapshot of this store`);
  return 0;
}

interface Task {
  repository: string;
  create: string | undefined;
  restore: string | undefined;
  onProgress: (done: number, shards: number) => void;
  signal: AbortSignal;
}

async function run(
  options: ElasticsearchOptions,
  { repository, create, restore, onProgress, signal }: Task,
): Promise<StoreSnapshot[]> {
  if (create !== undefined) return [await createSnapshot(options, { repository, name: create, onProgress, signal })];
  if (restore !== undefined) return [await restoreSnapshot(options, { repository, name: restore, onProgress, signal })];
  return listSnapshots(options, repository, signal);
}

/** Prints the share of the shards that are done when it has grown by a tenth. */
function createShardProgress(print: (line: string) => void, isSilent: boolean) {
  let shown = 0;
  return (done: number, shards: number): void => {
    const tenths = shards === 0 ? 0 : Math.floor((done / shards) * 10);
    if (tenths > shown && !isSilent) print(`${done} of ${shards} shards`);
    shown = tenths;
  };
}

const MIB = 1024 * 1024;

function describe(
  { name, takenAt, isComplete, committed, bytes, indices }: StoreSnapshot,
  isRestored: boolean,
): string {
  const what = `${indices} indices, ${Math.ceil((bytes ?? 0) / MIB)} MiB, up to block ${committed?.num ?? 'none'}`;
  if (isRestored) return `restored from ${name}: ${what}`;
  const state = isComplete ? '' : ', not complete';
  return `${name}: ${what}, of ${new Date(takenAt).toISOString().slice(0, 19)}Z${state}`;
}

function toJson({ name, takenAt, isComplete, chainId, committed, indices, bytes }: StoreSnapshot): object {
  return {
    name,
    taken_at: new Date(takenAt).toISOString(),
    complete: isComplete,
    chain_id: chainId,
    committed_block_num: committed?.num,
    indices,
    bytes,
  };
}

function parseCommandLine(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = { config: text, repository: text, create: text, restore: text, list: flag, json: flag, help: flag };
  return parseOptions(args, options);
}
