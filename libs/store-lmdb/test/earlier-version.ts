import { createTables, type LmdbWriterOptions } from '../src/write/open-writer';
import { OpeningGate } from '../src/lock/opening-gate';
import { BatchCommitter } from '../src/write/batch-committer';
import { DataFile } from '../src/format/data-file';
import { DiskRoom } from '../src/write/disk-room';
import { WriteBatch } from '../src/write/write-batch';
import { removeFact, writeFact } from '../src/write/write-facts';
import { openLmdbStoreWriter } from '../src/writer';

/** Creates an empty store as a version did that had no lists of further traces. */
export async function createEarlierStore(options: LmdbWriterOptions, formatVersion = 1): Promise<void> {
  await (await openLmdbStoreWriter(options)).close();
  const tables = createTables(options);
  const batch = new WriteBatch();
  removeFact(tables, 'countsTraces', batch);
  writeFact(tables, 'formatVersion', formatVersion, batch);
  await new BatchCommitter(tables, new OpeningGate(), new DiskRoom(options.path, 0), new DataFile(options.path)).commit(
    batch,
  );
  await tables.root.close();
}
