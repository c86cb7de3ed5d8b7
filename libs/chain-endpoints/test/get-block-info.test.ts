import { CHAIN_ROUTES } from '@antelope-history/chain-routes';
import {
  ApiClient,
  createApiDeps,
  describeResponseCache,
  FINAL_CACHE_CONTROL,
  findFinalBlock,
  openSampleReader,
} from '@antelope-history/endpoint-testing';
import { readChainBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import { createChainApi } from '../src';

const client = new ApiClient(CHAIN_ROUTES);
const route = CHAIN_ROUTES.getBlockInfo;
/** The conformance tool compares every block; here every so manyth is requested. */
const SHARE = 13;

/** `get_block_info` as it follows from the node's response to `get_block`: the same fields of the same header. */
function infoOf(blockJson: string): string {
  const block = JSON.parse(blockJson) as Record<string, unknown> & { block_num: number };
  const ofHeader = ['timestamp', 'producer', 'confirmed', 'previous', 'transaction_mroot', 'action_mroot'];
  const fields = ['block_num', 'ref_block_num', 'id', ...ofHeader, 'schedule_version', 'producer_signature'];
  const values: Record<string, unknown> = { ...block, ref_block_num: block.block_num % 65536 };
  return JSON.stringify(Object.fromEntries([...fields, 'ref_block_prefix'].map((field) => [field, values[field]])));
}

describe('get_block_info', () => {
  it.each(['leap-edge', 'eosio20-edge', 'spring-savanna'] as const)(
    'has the headers of recorded blocks of %s, the first one included',
    async (name) => {
      const app = createChainApi(createApiDeps(openSampleReader(name)));
      const recorded = [...readChainBlocks(sampleFolder(name))].filter((_, index) => index % SHARE === 0);
      expect(recorded[0]?.blockNum).toBe(1);
      for (const { blockNum, body } of recorded) {
        const { text } = await client.post(app, route, { block_num: blockNum });
        expect(text).toBe(infoOf(body));
      }
    },
  );

  it('takes the number as a string, and is final for irreversible blocks only', async () => {
    const sample = openSampleReader('leap-edge');
    const app = createChainApi(createApiDeps(sample));
    const last = sample.status.lastIrreversible?.num ?? 0;
    const [final, reversible] = [
      await client.post(app, route, { block_num: String(last) }),
      await client.post(app, route, { block_num: last + 1 }),
    ];
    expect(final.headers).toMatchObject({ etag: `W/"${final.body.id}"`, 'cache-control': FINAL_CACHE_CONTROL });
    expect(reversible.headers['cache-control']).toBeUndefined();
  });

  it.each([0, 506, 4294967295])('reports the block %j as unknown', async (block_num) => {
    const app = createChainApi(createApiDeps(openSampleReader('leap-edge')));
    expect(await client.refusalOf(app, route, { block_num })).toEqual({
      status: 400,
      message: 'Unknown Block',
      code: 3100002,
      name: 'unknown_block_exception',
      detail: `Could not find block: ${block_num}`,
    });
  });

  it.each([
    {},
    { block_num: null },
    { block_num: -1 },
    { block_num: 4294967296 },
    { block_num: 1.5 },
    { block_num: '' },
  ])('refuses %j', async (body) => {
    const app = createChainApi(createApiDeps(openSampleReader('leap-edge')));
    const refusal = await client.refusalOf(app, route, body);
    expect(refusal).toMatchObject({ status: 400, name: 'invalid_http_request' });
    expect(refusal.detail).toContain('block_num: give an integer from 0 to 4294967295');
  });

  it('names the field to write for those of get_block', async () => {
    const app = createChainApi(createApiDeps(openSampleReader('leap-edge')));
    const { detail } = await client.refusalOf(app, route, { block_num_or_id: 5 });
    expect(detail).toContain('write block_num');
  });

  const { blockNum } = findFinalBlock();
  describeResponseCache({
    createApi: createChainApi,
    path: route.path,
    finalRequest: { block_num: blockNum },
    blockNum,
    otherRequests: { 'to a reversible block': { block_num: 505 }, 'that is an error': { block_num: 0 } },
  });
});
