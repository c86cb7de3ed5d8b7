import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import type { StoreWriter } from '@antelope-history/store';
import { openElasticsearchStoreReader } from '@antelope-history/store-elasticsearch/reader';
import { openElasticsearchStoreWriter } from '@antelope-history/store-elasticsearch/writer';
import { openSample } from '@antelope-history/test-support/recordings';
import { elasticsearchOptions } from './elasticsearch-options';
import { PausableServer } from './pausable-server';
import { recordsOf } from './recorded-records';
import { ended, runMain, startMain } from './run-main';

const RECORDS = recordsOf(openSample('leap-edge'));
const BLOCKS = RECORDS.slice(0, 60);
const LAST = BLOCKS.at(-1)?.position;
/** A request waits for 60 s by default. */
const SOON_MS = 15_000;

jest.setTimeout(180_000);

describeWithService(['elasticsearch'], (url = '') => {
  const client = new Client({ node: url });
  const indexPrefix = `test-${randomUUID()}`;
  const repository = indexPrefix;
  const options = elasticsearchOptions(url, indexPrefix);
  let server: PausableServer;

  beforeAll(async () => {
    server = await PausableServer.start(url);
    await putRepository();
    const writer = await openElasticsearchStoreWriter(options);
    await writer.writeBlocks(BLOCKS);
    while ((await writer.maintain()).committed?.num !== LAST?.num);
    await writer.close();
  });
  afterAll(async () => {
    await server.stop();
    await client.snapshot.delete({ repository, snapshot: '*' });
    await client.snapshot.deleteRepository({ name: repository });
    await deleteIndices();
    await client.indices.deleteIndexTemplate({ name: `${indexPrefix}-*` });
    await client.close();
  });

  async function putRepository(rate = '1gb'): Promise<void> {
    const settings = { location: repository, max_snapshot_bytes_per_sec: rate };
    await client.snapshot.createRepository({ name: repository, repository: { type: 'fs', settings } });
  }

  async function deleteIndices(): Promise<void> {
    const indices = Object.keys(await client.indices.get({ index: `${indexPrefix}-*` }));
    if (indices.length > 0) await client.indices.delete({ index: indices });
  }

  const at = (address: string): NodeJS.ProcessEnv => ({
    HISTORY_STORE__KIND: 'elasticsearch',
    HISTORY_STORE__ELASTICSEARCH__URLS: address,
    HISTORY_STORE__ELASTICSEARCH__INDEX_PREFIX: indexPrefix,
  });
  const run = (...args: string[]) => runMain('snapshot-main', at(url), ['--repository', repository, ...args]);

  /** Runs it until the server is paused at a request, and sends it a signal. */
  async function signalAt([text, number]: [string, number], signal: NodeJS.Signals, ...args: string[]) {
    const paused = server.pauseAt(text, number);
    const child = startMain('snapshot-main', at(server.url), ['--repository', repository, ...args]);
    const end = ended(child);
    await paused;
    const begun = performance.now();
    child.kill(signal);
    const found = await end;
    expect(performance.now() - begun).toBeLessThan(SOON_MS);
    server.resume();
    return found;
  }

  async function stateOf(snapshot: string): Promise<string | undefined> {
    const { snapshots } = await client.snapshot.get({ repository, snapshot, ignore_unavailable: true });
    return snapshots?.[0]?.state;
  }

  /** Begins one that takes seconds, and kills the program meanwhile. */
  async function leaveUnfinished(name: string): Promise<void> {
    await putRepository('20kb');
    const child = startMain('snapshot-main', at(url), ['--repository', repository, '--create', name]);
    while ((await stateOf(name)) !== 'IN_PROGRESS');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await stateOf(name)).toBe('IN_PROGRESS');
  }

  /** It is not committed, because a block before it is missing. */
  async function write(writer: StoreWriter, message: number): Promise<void> {
    await writer.writeBlocks(RECORDS.slice(message, message + 1));
  }

  it('a --create that was killed while something was written is deleted by the same command, and then made', async () => {
    const writer = await openElasticsearchStoreWriter(options);
    await leaveUnfinished('written');
    await write(writer, 62);
    const refused = await run('--create', 'written');
    expect([refused.status, refused.output]).toEqual([2, expect.stringContaining('STORE_IN_USE')]);
    expect(await stateOf('written')).toBeUndefined();
    await putRepository();
    expect((await run('--create', 'written')).status).toBe(0);
    await write(writer, 64);
    await writer.close();
    const { output } = await run('--create', 'written');
    expect(output).toContain('has a snapshot written already, which is not of what the store has now');
    await client.snapshot.delete({ repository, snapshot: 'written' });
  });

  it('a --create that was killed is finished by the same command', async () => {
    await leaveUnfinished('left');
    // Ctrl-C ends the waiting for it, and leaves it as it was.
    const waiting = await signalAt([`/_snapshot/${repository}/left?`, 2], 'SIGINT', '--create', 'left');
    expect(waiting).toMatchObject({ signal: 'SIGINT', output: expect.stringMatching(/^STOPPED: /) });
    expect(await stateOf('left')).toBeDefined();
    const { status, output } = await run('--create', 'left');
    expect([status, output]).toEqual([0, expect.stringContaining(`up to block ${LAST?.num}`)]);
    const again = await run('--create', 'left');
    expect([again.status, again.output]).toEqual([
      2,
      expect.stringContaining('has a snapshot left already, which has all that the store has'),
    ]);
    await putRepository();
    await deleteIndices();
    expect((await run('--restore', 'left')).status).toBe(0);
  });

  it('a --create ends at Ctrl-C while the server is paused, and says what is not known', async () => {
    const { signal, output } = await signalAt(
      [`/_snapshot/${repository}/paused?index_details`, 1],
      'SIGINT',
      '--create',
      'paused',
    );
    // Nothing was begun.
    expect([signal, output]).toEqual(['SIGINT', expect.stringMatching(/^STOPPED: /)]);
    expect(await stateOf('paused')).toBeUndefined();
    const cut = await signalAt(['PUT /_snapshot', 1], 'SIGINT', '--create', 'paused');
    expect(cut).toMatchObject({ signal: 'SIGINT', output: expect.stringContaining('--list shows whether it is') });
    const { status } = await run('--create', 'next');
    expect(status).toBe(0);
  });

  it.each([
    ['when the restore has begun', '/_cluster/health'],
    ['when it is compared', '/_stats/indexing'],
    ['before the blocks are removed', `PUT /${indexPrefix}-actions-*`],
  ])('a --restore that was killed leaves a store that no app takes for whole: %s', async (when, text) => {
    const name = when.replaceAll(' ', '-');
    expect((await run('--create', name)).status).toBe(0);
    await deleteIndices();
    expect(await signalAt([text, 1], 'SIGKILL', '--restore', name)).toMatchObject({ signal: 'SIGKILL' });
    // A request that arrives when the program is dead opens nothing that was not compared.
    if (!text.startsWith('PUT')) {
      const blocked = {
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('check-config of an indexer says which block'),
      };
      await expect(openElasticsearchStoreReader(options)).rejects.toMatchObject(blocked);
      await expect(openElasticsearchStoreWriter(options)).rejects.toMatchObject(blocked);
      const { status, output } = await run('--restore', name);
      expect([status, output]).toEqual([2, expect.stringContaining('which a restore that did not end has left')]);
    }
    await deleteIndices();
    expect((await run('--restore', name)).status).toBe(0);
    const reader = await openElasticsearchStoreReader(options);
    expect((await reader.getStatus()).committed).toEqual(LAST);
    await reader.close();
  });
});
