import {
  ApiClient,
  createApiDeps,
  describeResponseCache,
  FINAL_CACHE_CONTROL,
  findFinalBlock,
  openSampleReader,
  type SampleReader,
} from '@antelope-history/endpoint-testing';
import { CHAIN_ROUTES } from '@antelope-history/chain-routes';
import { readAuthorizers, readChainBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import { errorResponse } from '@antelope-history/schemas';
import { createChainApi } from '../src';

const client = new ApiClient(CHAIN_ROUTES);

let sample: SampleReader;
beforeAll(() => (sample = openSampleReader('leap-edge')));

describe('chain get_block', () => {
  const route = CHAIN_ROUTES.getChainBlock;

  it('returns the node’s response, by number and by id', async () => {
    const app = createChainApi(createApiDeps(sample));
    const recorded = [...readChainBlocks(sampleFolder('leap-edge'))].find(({ blockNum }) => blockNum === 100);
    const byNumber = await client.post(app, route, { block_num_or_id: '100' });
    expect(byNumber.text).toEqual(recorded?.body);
    expect(byNumber.headers).toMatchObject({ etag: `W/"${byNumber.body.id}"`, 'cache-control': FINAL_CACHE_CONTROL });
    for (const block_num_or_id of [100, byNumber.body.id, byNumber.body.id.toUpperCase()]) {
      expect((await client.post(app, route, { block_num_or_id })).text).toBe(byNumber.text);
    }
  });

  it('refuses requests with the error codes of nodeos', async () => {
    const app = createChainApi(createApiDeps(sample));
    const recorded = readAuthorizers(sampleFolder('leap-edge')).errors.filter(({ path }) => path === route.path);
    const refused = recorded.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(5);
    for (const { request: body, ...response } of refused) {
      const { code, name } = errorResponse.parse(response.body).error;
      expect([body, await client.refusalOf(app, route, body)]).toEqual([body, expect.objectContaining({ code, name })]);
    }
  });

  it('is final for irreversible blocks only', async () => {
    const app = createChainApi(createApiDeps(sample));
    const last = sample.status.lastIrreversible?.num ?? 0;
    const cacheControlOf = async (block_num_or_id: number) =>
      (await client.post(app, route, { block_num_or_id })).headers['cache-control'];
    expect([await cacheControlOf(last), await cacheControlOf(last + 1)]).toEqual([FINAL_CACHE_CONTROL, undefined]);
  });

  it.each(['0', '-1', -1, 99999999, '9'.repeat(20), 'f'.repeat(64)])(
    'reports the block %j as unknown',
    async (block_num_or_id) => {
      expect(await client.refusalOf(createChainApi(createApiDeps(sample)), route, { block_num_or_id })).toMatchObject({
        status: 400,
        message: 'Unknown Block',
        code: 3100002,
        name: 'unknown_block_exception',
        detail: `Could not find block: ${block_num_or_id}`,
      });
    },
  );

  it.each(['', 'abc', '1.5', 1.5])('refuses %j', async (block_num_or_id) => {
    const refusal = await client.refusalOf(createChainApi(createApiDeps(sample)), route, { block_num_or_id });
    expect(refusal).toMatchObject({ status: 400, code: 3010008, name: 'block_id_type_exception' });
  });
});

describe('chain get_block', () => {
  const { blockNum } = findFinalBlock();
  describeResponseCache({
    createApi: createChainApi,
    path: CHAIN_ROUTES.getChainBlock.path,
    finalRequest: { block_num_or_id: blockNum },
    blockNum,
    otherRequests: { 'to a reversible block': { block_num_or_id: 505 }, 'that is an error': { block_num_or_id: -1 } },
  });
});
