import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  Comparison,
  CONTRACT_DATA_FIELDS,
  listFaults,
  ModelHistory,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { readFact } from '../src/format/chain-facts';
import type { EnvironmentOptions } from '../src/format/environment';
import { FORMAT_VERSION } from '../src/format/format-version';
import { openExistingTables } from '../src/read/open-reader';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';
import { createEarlierStore } from './earlier-version';

const TRANSFER = { account: 'token', name: 'transfer', actor: 'alice', creatorDistance: 0, dataBytes: 20 };
const PLAN = { transactions: [[{ ...TRANSFER, notified: ['alice', 'bob'] }]], abis: [], permissions: [] };

async function formatOf(options: EnvironmentOptions): Promise<number | undefined> {
  const tables = await openExistingTables(options);
  try {
    return readFact(tables, 'formatVersion');
  } finally {
    await tables.root.close();
  }
}

/** The files of a folder that this process has open. */
function openFilesIn(folder: string): string[] {
  const open = readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      // The descriptor of the list itself is closed.
      return [];
    }
  });
  return open.filter((file) => file.startsWith(`${folder}/`));
}

describe('a data directory that an earlier version began', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'store-lmdb-older-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is written and read on, and says that it has no positions of traces', async () => {
    const options = { path: folder, mapSizeBytes: 0, dataFields: CONTRACT_DATA_FIELDS };
    await createEarlierStore(options);
    const writer = await openLmdbStoreWriter(options);
    const blocks = new SyntheticChain().blocks(
      undefined,
      Array.from({ length: 6 }, () => PLAN),
    );
    await writer.writeBlocks(blocks);
    const reader = await openLmdbStoreReader(options);
    await new Comparison(reader, ModelHistory.of(blocks)).transaction(
      blocks[0]?.transactions[0]?.id.toString('hex') ?? '',
    );
    expect(await listFaults(reader, 2)).toEqual([]);
    const asked = reader.getAccountTraces({ account: 'alice', select: (count) => ({ first: 0, last: count }) });
    await expect(asked).rejects.toMatchObject({ code: 'POSITIONS_NOT_STORED' });
    await reader.close();
    await writer.close();
  });

  it('is not held open by a reader that refuses its format', async () => {
    // Only Linux lists the open files of a process here.
    if (process.platform !== 'linux') return;
    const options = { path: folder, mapSizeBytes: 0 };
    await createEarlierStore(options, 0);
    await expect(openLmdbStoreReader(options)).rejects.toMatchObject({ code: 'STORE_FORMAT_MISMATCH' });
    expect(openFilesIn(folder)).toEqual([]);
  });

  it('has a format that the earlier version refuses, once this version may write it', async () => {
    const options = { path: folder, mapSizeBytes: 0 };
    await createEarlierStore(options);
    expect(await formatOf(options)).toBe(1);
    await (await openLmdbStoreReader(options)).close();
    expect(await formatOf(options)).toBe(1);
    await (await openLmdbStoreWriter(options)).close();
    expect(await formatOf(options)).toBe(FORMAT_VERSION);
  });
});
