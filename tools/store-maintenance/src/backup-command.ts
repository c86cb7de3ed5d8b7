import { loadConfig, parseOptions } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import { backUpLmdb } from '@antelope-history/store-lmdb/backup';
import { requireData } from './require-data';
import type { CommandHost } from './run-program';

export const BACKUP_USAGE = `npm run backup -- [--config FILE] --to DIRECTORY [--compact] [--json]

Copies the data of the embedded store (store.lmdb.path) to a new directory, as it is at one commit, and opens and reads the
copy. The service may run and index meanwhile; its data file grows by what it writes during the copy. The directory exists only
when the copy is whole.

To restore: stop the service, put the directory in the place of store.lmdb.path, start the service. It continues after the
block that this command prints, so the node must still have the blocks after it.

Ctrl-C removes what is copied and ends.

--compact leaves free pages out: smaller, and slower to make. --json prints one JSON object at the end.

Exit status: 0 the copy is made, 2 it is not.
`;

const MIB = 1024 * 1024;

/** Resolves with the exit status. Rejects with `CONFIG_INVALID`, and as `backUpLmdb`. */
export async function runBackup({ args, environment, print, progress, signal }: CommandHost): Promise<number> {
  const { to, config: file, compact, json, help } = parseCommandLine(args);
  if (help) {
    print(BACKUP_USAGE);
    return 0;
  }
  if (to === undefined || to === '') throw new HistoryError('CONFIG_INVALID', 'name a new directory: --to DIRECTORY');
  const { store } = loadConfig(environment, { file, uses: ['store'] });
  if (store.kind !== 'lmdb') {
    const advice = 'take a snapshot of Elasticsearch (docs/elasticsearch.md, "Snapshots")';
    throw new HistoryError('CONFIG_INVALID', `only the embedded store is copied: ${advice}`);
  }
  requireData(store);
  const startedAt = performance.now();
  let shown = -1;
  const { status, bytes } = await backUpLmdb({
    from: store.lmdb.path,
    to,
    isCompact: compact,
    signal,
    onProgress: (copied, total) => {
      const percent = Math.min(99, Math.floor((copied / total) * 100));
      if (percent > shown && !json) progress.print(`${percent} % of ${Math.ceil(total / MIB)} MiB`);
      shown = percent;
    },
  });
  progress.close();
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  const committed = status.committed?.num;
  print(
    json
      ? JSON.stringify({ to, bytes, seconds, chain_id: status.chainId, committed_block_num: committed })
      : `${to} holds the chain up to block ${committed}: ${Math.ceil(bytes / MIB)} MiB in ${seconds} s, opened and read`,
  );
  return 0;
}

function parseCommandLine(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = { config: text, to: text, compact: flag, json: flag, help: flag };
  return parseOptions(args, options);
}
