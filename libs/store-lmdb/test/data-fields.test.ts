import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expectFieldRanges } from '@antelope-history/store/contract';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

describe('data fields of the embedded store', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-lmdb-fields-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are indexed from the block on before which they were added', async () => {
    const options = { path: folder, mapSizeBytes: 0 };
    await (await openLmdbStoreWriter(options)).close();
    await expectFieldRanges({
      openWriter: (dataFields) => openLmdbStoreWriter({ ...options, dataFields }),
      openReader: () => openLmdbStoreReader(options),
    });
  });
});
