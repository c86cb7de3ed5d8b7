import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  Comparison,
  CONTRACT_DATA_FIELDS,
  listFaults,
  ModelHistory,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';
import { createEarlierStore } from './earlier-version';

const TRANSFER = { account: 'token', name: 'transfer', actor: 'alice', creatorDistance: 0, dataBytes: 20 };
const PLAN = { transactions: [[{ ...TRANSFER, notified: ['alice', 'bob'] }]], abis: [], permissions: [] };

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
});
