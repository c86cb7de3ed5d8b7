import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type IndexedService, startIndexedService, startProgram } from '@antelope-history/processes';
import { ROUTES, STREAM } from '@antelope-history/routes';
import { readChainBlocks, readTraceBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import { settledHealth } from '../src';

const SAMPLE = sampleFolder('leap-edge');
const RETAINED = 100;

/** The first block once what is left to remove is too little for a removal: a tenth of the retained blocks. */
async function firstBlockAfterRemoval(service: IndexedService): Promise<number> {
  const wanted = service.lastBlockNum - RETAINED + 1;
  for (;;) {
    const first = (await settledHealth(service)).first_block_num ?? 0;
    expect(first).toBeLessThanOrEqual(wanted);
    if (first > wanted - RETAINED / 10) return first;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe('a service that keeps its newest blocks', () => {
  let service: IndexedService;
  let first: number;

  const post = async (at: string, body: object): Promise<{ status: number; body: string }> => {
    const response = await fetch(service.url + at, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: await response.text() };
  };

  beforeAll(async () => {
    service = await startIndexedService(SAMPLE, { HISTORY_STORE__LMDB__RETAIN_BLOCKS: String(RETAINED) });
    first = await firstBlockAfterRemoval(service);
  });
  afterAll(() => service.stop());

  it("has the node's responses for these blocks, and none for older ones", async () => {
    const traces = new Map(
      [...readTraceBlocks(SAMPLE)].map(({ blockNum, body }) => [blockNum, JSON.parse(body) as object]),
    );
    let compared = 0;
    for (const { blockNum, body } of readChainBlocks(SAMPLE)) {
      if (blockNum < first - 20) continue;
      const block = await post(ROUTES.getChainBlock.path, { block_num_or_id: blockNum });
      const trace = await post(ROUTES.getTraceBlock.path, { block_num: blockNum });
      if (blockNum < first) {
        expect([blockNum, block.status, trace.status]).toEqual([blockNum, 400, 404]);
        continue;
      }
      expect(JSON.parse(block.body)).toEqual(JSON.parse(body));
      expect(JSON.parse(trace.body)).toMatchObject({ number: (traces.get(blockNum) as { number: number }).number });
      compared++;
    }
    expect(compared).toBeGreaterThan(40);
  });

  it('keeps the state of the whole chain', async () => {
    const { body } = await post(ROUTES.getControlledAccounts.path, { controlling_account: 'alice' });
    expect((JSON.parse(body) as { controlled_accounts: string[] }).controlled_accounts.length).toBeGreaterThan(1);
    expect((await post(ROUTES.getAbi.path, { account_name: 'eosio.token' })).status).toBe(200);
  });

  it('tells a client of the stream that what follows its event was removed', async () => {
    const cursor = `${(2).toString(16).padStart(8, '0').padEnd(64, 'a')}.all.1`;
    const response = await fetch(`${service.url}${STREAM.path}`, { headers: { 'last-event-id': cursor } });
    expect([response.status, await response.json()]).toMatchObject([410, { error: { name: 'blocks_removed' } }]);
  });

  it('passes the check of every stored block and list', async () => {
    const file = path.join(service.data, 'verify.json');
    writeFileSync(file, JSON.stringify({ store: { lmdb: { path: service.data } } }));
    const child = startProgram('tools/store-maintenance/dist/verify-main.js', {
      args: ['--config', file, '--json'],
      stderr: 'pipe',
    });
    const [output, status] = await Promise.all([
      text(child.stdout as NodeJS.ReadableStream),
      new Promise((resolve) => child.once('exit', resolve)),
    ]);
    expect([status, output.trim().split('\n')]).toEqual([0, [expect.stringContaining(`"from":${first}`)]]);
  });
});
