import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import { openElasticsearchStoreWriter } from '@antelope-history/store-elasticsearch/writer';
import { openSample } from '@antelope-history/test-support/recordings';
import { elasticsearchOptions } from './elasticsearch-options';
import { PausableServer } from './pausable-server';
import { recordsOf } from './recorded-records';
import { ended, runMain, startMain } from './run-main';

/** The ABI of a contract is set in the first ones. */
const BLOCKS = recordsOf(openSample('leap-edge')).slice(0, 60);
/** A request waits for 60 s by default. */
const SOON_MS = 15_000;

jest.setTimeout(180_000);

describeWithService(['elasticsearch'], (url = '') => {
  const client = new Client({ node: url });
  const indexPrefix = `test-${randomUUID()}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-paused-'));
  let server: PausableServer;

  beforeAll(async () => {
    const writer = await openElasticsearchStoreWriter(elasticsearchOptions(url, indexPrefix));
    await writer.writeBlocks(BLOCKS);
    while ((await writer.maintain()).committed?.num !== BLOCKS.at(-1)?.position.num);
    await writer.close();
    server = await PausableServer.start(url);
  });
  afterAll(async () => {
    await server.stop();
    await client.indices.delete({ index: Object.keys(await client.indices.get({ index: `${indexPrefix}-*` })) });
    await client.indices.deleteIndexTemplate({ name: `${indexPrefix}-*` });
    await client.close();
    rmSync(folder, { recursive: true });
  });

  const at = (address: string): NodeJS.ProcessEnv => ({
    HISTORY_STORE__KIND: 'elasticsearch',
    HISTORY_STORE__ELASTICSEARCH__URLS: address,
    HISTORY_STORE__ELASTICSEARCH__INDEX_PREFIX: indexPrefix,
  });
  const verify = (...args: string[]) => runMain('verify-main', at(url), args);
  const lastLine = (output: string): unknown => JSON.parse(output.trim().split('\n').at(-1) ?? '');

  /** Runs it until the server is paused at a request, and ends it by Ctrl-C. */
  async function interruptAt(text: string, number: number, ...args: string[]) {
    const paused = server.pauseAt(text, number);
    const child = startMain('verify-main', at(server.url), args);
    const end = ended(child);
    await paused;
    const begun = performance.now();
    child.kill('SIGINT');
    const found = await end;
    expect(performance.now() - begun).toBeLessThan(SOON_MS);
    server.resume();
    return found;
  }

  it.each([
    ['before a block is verified', '_msearch', 1],
    ['while it reads blocks', '_msearch', 25],
    ['while it reads the ABI that a block sets', `${indexPrefix}-abis`, 1],
    ['while it compares permissions', `${indexPrefix}-permissions`, 1],
  ])(
    'a verify that Ctrl-C ends while the server is paused continues as if it had not been: %s',
    async (_, text, number) => {
      const whole = await verify('--json');
      expect(whole.status).toBe(0);
      const checkpoint = ['--checkpoint', path.join(folder, 'checkpoint')];
      const { status, output } = await interruptAt(text, number, ...checkpoint);
      expect([status, output]).toEqual([1, expect.stringContaining('not finished; the same command continues')]);
      const continued = await verify('--json', ...checkpoint);
      expect([continued.status, lastLine(continued.output)]).toEqual([0, lastLine(whole.output)]);
      expect(existsSync(path.join(folder, 'checkpoint'))).toBe(false);
    },
  );

  it('names the block to continue with', async () => {
    const { output } = await interruptAt('_msearch', 25);
    const from = /continue with --from (\d+)/.exec(output)?.[1] ?? '';
    expect(Number(from)).toBeGreaterThan(BLOCKS[0]?.position.num ?? 0);
    expect(await verify('--from', from)).toMatchObject({ status: 0 });
  });

  it('a verify that waits for its server ends at Ctrl-C, by the signal', async () => {
    const found = await interruptAt('GET', 1);
    expect(found).toMatchObject({ signal: 'SIGINT', output: expect.stringContaining('STOPPED') });
    const child = startMain('verify-main', at('http://127.0.0.1:1'), []);
    const end = ended(child);
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    child.kill('SIGINT');
    expect(await end).toMatchObject({ signal: 'SIGINT', output: expect.stringContaining('STOPPED') });
  });
});
