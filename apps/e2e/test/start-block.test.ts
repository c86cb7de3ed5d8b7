import { ROUTES } from '@antelope-history/routes';
import { type IndexedService, startIndexedService } from '@antelope-history/processes';
import { readChainBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import { settledHealth } from '../src';

const SAMPLE = sampleFolder('leap-edge');
const FIRST = 300;

describe('a history that begins in the middle of a chain', () => {
  let service: IndexedService;
  const post = async (path: string, body: object): Promise<[number, Record<string, unknown>]> => {
    const response = await fetch(service.url + path, { method: 'POST', body: JSON.stringify(body) });
    return [response.status, (await response.json()) as Record<string, unknown>];
  };

  beforeAll(async () => {
    service = await startIndexedService(SAMPLE, { HISTORY_SHIP__START_BLOCK: String(FIRST) });
  });
  afterAll(() => service.stop());

  it('has all blocks from there on, and none before', async () => {
    const health = await settledHealth(service);
    expect([health.first_block_num, health.state_complete]).toEqual([FIRST, false]);
    const recorded = [...readChainBlocks(SAMPLE)].filter(({ blockNum }) => blockNum >= FIRST - 2);
    for (const { blockNum, body } of recorded) {
      const [status, block] = await post(ROUTES.getChainBlock.path, { block_num_or_id: blockNum });
      expect([blockNum, status]).toEqual([blockNum, blockNum < FIRST ? 400 : 200]);
      if (status === 200) expect(block['id']).toBe((JSON.parse(body) as { id: string }).id);
    }
  });

  it('refuses to name the accounts of a key or an account: those from before would be missing', async () => {
    const requests: [string, object][] = [
      [ROUTES.getControlledAccounts.path, { controlling_account: 'alice' }],
      [ROUTES.getKeyAccounts.path, { public_key: 'EOS67tVYqeq99KdZ6mWCFmoCBVnmLvh77bubyeDn1JGKXQnAVmJi3' }],
    ];
    for (const [path, body] of requests)
      expect(await post(path, body)).toMatchObject([501, { error: { name: 'state_incomplete' } }]);
  });

  it('shows data undecoded whose ABI was set before', async () => {
    const [status, { actions }] = await post(ROUTES.getActions.path, { account_name: 'alice', offset: 1 });
    expect(status).toBe(200);
    const [row] = actions as { action_trace: { act: { data: unknown } } }[];
    expect(row?.action_trace.act.data).toMatch(/^[0-9a-f]+$/);
  });
});
