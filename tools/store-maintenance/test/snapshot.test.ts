import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import { openElasticsearchStoreReader } from '@antelope-history/store-elasticsearch/reader';
import { openElasticsearchStoreWriter } from '@antelope-history/store-elasticsearch/writer';
import { openSample } from '@antelope-history/test-support/recordings';
import { elasticsearchOptions } from './elasticsearch-options';
import { recordsOf } from './recorded-records';

const MAIN = path.resolve(__dirname, '../dist/snapshot-main.js');
const RECORDS = recordsOf(openSample('leap-edge'));
const BLOCKS = RECORDS.slice(0, 60);

jest.setTimeout(180_000);

describeWithService(['elasticsearch'], (url = '') => {
  const client = new Client({ node: url });
  const indexPrefix = `test-${randomUUID()}`;
  const repository = indexPrefix;
  const options = elasticsearchOptions(url, indexPrefix);

  beforeAll(async () => {
    const settings = { type: 'fs', settings: { location: repository } } as const;
    await client.snapshot.createRepository({ name: repository, repository: settings });
    const writer = await openElasticsearchStoreWriter(options);
    await writer.writeBlocks(BLOCKS);
    while ((await writer.maintain()).committed?.num !== BLOCKS.at(-1)?.position.num);
    await writer.close();
  });
  afterAll(async () => {
    await client.snapshot.delete({ repository, snapshot: '*' });
    await client.snapshot.deleteRepository({ name: repository });
    await deleteIndices();
    await client.indices.deleteIndexTemplate({ name: `${indexPrefix}-*` });
    await client.close();
  });

  async function deleteIndices(): Promise<void> {
    const indices = Object.keys(await client.indices.get({ index: `${indexPrefix}-*` }));
    if (indices.length > 0) await client.indices.delete({ index: indices });
  }

  function run(...args: string[]): Promise<{ status: number; output: string }> {
    const env = {
      PATH: process.env['PATH'],
      HISTORY_STORE__KIND: 'elasticsearch',
      HISTORY_STORE__ELASTICSEARCH__URLS: url,
      HISTORY_STORE__ELASTICSEARCH__INDEX_PREFIX: indexPrefix,
    };
    return new Promise((resolve) => {
      execFile(process.execPath, [MAIN, '--repository', repository, ...args], { env }, (error, stdout, stderr) => {
        resolve({ status: error ? Number(error.code) : 0, output: stdout + stderr });
      });
    });
  }

  it('saves the indices, lists the snapshot, and brings it back', async () => {
    const last = BLOCKS.at(-1)?.position.num;
    const created = await run('--create', 'one');
    expect([created.status, created.output]).toEqual([0, expect.stringContaining(`up to block ${last}`)]);
    const { status, output } = await run('--list', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ name: 'one', complete: true, committed_block_num: last });

    const refused = await run('--restore', 'one');
    expect([refused.status, refused.output]).toEqual([2, expect.stringContaining('delete these indices first')]);
    await deleteIndices();
    const restored = await run('--restore', 'one');
    expect([restored.status, restored.output]).toEqual([0, expect.stringContaining('restored from one')]);
    const reader = await openElasticsearchStoreReader(options);
    expect((await reader.getStatus()).committed).toEqual(BLOCKS.at(-1)?.position);
    expect((await reader.getBlock({ num: 30 })).block).toBeDefined();
    await reader.close();
  });

  it('does not bring back what it left when it was killed while something was written', async () => {
    expect((await run('--create', 'before')).status).toBe(0);
    const [before] = (await client.snapshot.get({ repository, snapshot: 'before' })).snapshots ?? [];
    const writer = await openElasticsearchStoreWriter(options);
    // Not committed, because a block before it is missing.
    await writer.writeBlocks(RECORDS.slice(62, 63));
    await writer.close();
    await client.snapshot.create({
      repository,
      snapshot: 'left',
      indices: `${indexPrefix}-*`,
      include_global_state: false,
      metadata: before?.metadata ?? {},
      wait_for_completion: true,
    });
    await deleteIndices();
    const refused = await run('--restore', 'left');
    expect([refused.status, refused.output]).toEqual([
      2,
      expect.stringMatching(/STORE_REFUSED: something was written while the snapshot left was made/),
    ]);
    await deleteIndices();
    expect((await run('--restore', 'before')).status).toBe(0);
  });

  it.each([
    [['--create', 'a', '--list'], 'give one of --create NAME, --restore NAME and --list'],
    [['--create', 'Upper'], 'lower-case letters'],
    [['--restore', '*'], 'lower-case letters'],
    [['--restore', 'nothing'], 'does not exist'],
    [['--list', '--repository', 'nowhere'], 'no snapshot repository nowhere'],
  ])('says what to change: %j', async (args, message) => {
    const { status, output } = await run(...args);
    expect([status, output]).toEqual([2, expect.stringContaining(message)]);
  });
});
